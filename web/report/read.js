"use strict";
/*
 * Reads the data of all kmemx pages. In: elements with base64 data, deflated or plain. Out: the
 * data; callchains. Names are untrusted text: nothing here turns them into markup.
 */
const SLAB = 0, PAGE = 1, VMALLOC = 2, PERCPU = 3;
const ALL_KINDS = [SLAB, PAGE, VMALLOC, PERCPU];

/* The unpacked content of an element of the page. */
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
	writer.write(bytes).catch(() => {}); /* the reader gets the error */
	writer.close().catch(() => {});
	return new Uint8Array(await new Response(stream.readable).arrayBuffer());
}

async function readJson(element) {
	return JSON.parse(new TextDecoder().decode(await readBytes(element)));
}

/* Reads for each node the node above (-1 for the callsite) and the length of its callchain. */
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

/* The functions of a row's callchain, from the callsite outward, as numbers of names. */
function chainOf(data, row) {
	const chain = [];
	for (let node = data.rows.node[row]; node >= 0; node = data.up[node])
		chain.push(data.nodeName[node]);
	return chain.reverse();
}
