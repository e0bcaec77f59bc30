"use strict";
/*
 * What all pages of kmemx read. In: elements with data, deflated or as they are, as base64. Out: what
 * they hold; callchains. Names are text from anywhere: nothing here makes markup of them.
 */
const SLAB = 0, PAGE = 1;

/* What stands in an element of the page, unpacked. */
async function readBytes(element) {
	const packed = atob(element.textContent);
	const bytes = new Uint8Array(packed.length);
	for (let i = 0; i < bytes.length; i++)
		bytes[i] = packed.charCodeAt(i);
	if (element.type !== "application/zlib")
		return bytes;
	if (typeof DecompressionStream === "undefined")
		throw new Error("This browser cannot unpack the page's data: it has no DecompressionStream.");
	const stream = new DecompressionStream("deflate"), writer = stream.writable.getWriter();
	writer.write(bytes).catch(() => {}); /* whoever reads is told */
	writer.close().catch(() => {});
	return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

async function readJson(element) {
	return JSON.parse(new TextDecoder().decode(await readBytes(element)));
}

/* Of each node the one above, or -1: it is the callsite; and of how many functions its callchain is. */
function readNodes(data, nodes) {
	const nr = nodes.up.length;
	data.up = new Int32Array(nr);
	data.depth = new Uint32Array(nr);
	data.nodeName = nodes.name;
	for (let i = 0; i < nr; i++) {
		const step = nodes.up[i];
		data.up[i] = step ? i - step : -1;
		data.depth[i] = step ? data.depth[i - step] + 1 : 1;
	}
}

/* The functions of a row's callchain, from the callsite outward, as names' numbers. */
function chainOf(data, row) {
	const chain = [];
	for (let node = data.rows.node[row]; node >= 0; node = data.up[node])
		chain.push(data.nodeName[node]);
	return chain.reverse();
}
