# SPDX-License-Identifier: GPL-2.0-or-later
"""Finds small changes to C sources, and compiles many of them into one program.

In: sources that clang-format has formatted: an operator with a blank on each side has two operands.
Out: mutants, and the source with all of them, each behind a condition that asks mutant_is(ID).
Knows brackets and precedence, but no types: the compiler rejects a mutant that makes no sense.
"""
import collections
import hashlib
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+ | //[^\n]* | /\*.*?\*/ | ^[ \t]*\#(?:[^\n\\]|\\.)*)
  | (?P<text>"(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*')
  | (?P<word>[A-Za-z_]\w* | \d(?:[\w.]|[eE][+-])*)
  | (?P<sign><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
                   re.VERBOSE | re.MULTILINE | re.DOTALL)
PRECEDENCE = {sign: level for level, signs in enumerate(
    ("||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"), 1)
    for sign in signs.split()}
ASSIGN = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
# Tokens that end an operand, whatever its operator.
DELIMITERS = ASSIGN | set(",;?:([{}])") | {"return", "case", "else", "do", "goto"}
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+",
         "fmin": "fmax", "fmax": "fmin", "net_range_min": "net_range_max",
         "net_range_max": "net_range_min"}
PAIRS = {")": "(", "]": "[", "}": "{"}
# Not mutated: tests do not see a leak, a race, or a note that memory ran out.
UNSEEN = re.compile(r"\w*(free|destroy|close|release|lock)\b"
                    r"|.*(\bfailed \|?= |\bno_memory\b|ENOMEM)", re.DOTALL)
# Not mutated: no test causes these errors.
ERRORS = {"!ret", "ret", "ret < 0"}
# Words before "(" that are no calls with side effects.
PURE = {"likely", "unlikely", "sizeof", "if", "while", "return"}

Token = collections.namedtuple("Token", "text begin end")
# Replaces source[begin:end] by text. probe: an expression that is true where that makes a
# difference.
Mutant = collections.namedtuple("Mutant", "path line begin end old text probe kind key function")


class Source:
    def __init__(self, path, text):
        self.path, self.text, self.found = path, text, []
        self.tokens = [Token(m[0], m.start(), m.end()) for m in TOKEN.finditer(text)
                       if m.lastgroup != "skip"]
        self.match, opened, self.function = {}, [], ""
        for i, token in enumerate(self.tokens):
            if token.text in PAIRS.values():
                opened.append(i)
            elif token.text in PAIRS:
                self.match[i] = opened.pop()
                self.match[self.match[i]] = i

    def binary(self, i):
        """The precedence of a token that has two operands, else None."""
        begin, end = self.tokens[i].begin, self.tokens[i].end
        if self.text[begin - 1].isspace() and self.text[end:end + 1].isspace():
            return PRECEDENCE.get(self.tokens[i].text)
        return None

    def first(self, i, level):
        """The first token of the operand that ends before token i."""
        while i > 0:
            i -= 1
            if self.tokens[i].text in PAIRS and self.tokens[i].text != "}":
                i = self.match[i]
            elif self.tokens[i].text in DELIMITERS or (self.binary(i) or 99) < level:
                return i + 1
        return 0

    def last(self, i, level):
        """The last token of the operand that begins after token i."""
        while True:
            i += 1
            if self.tokens[i].text in "([":
                i = self.match[i]
            elif self.tokens[i].text in DELIMITERS or (self.binary(i) or 99) <= level:
                return i - 1

    def between(self, first, last):
        """The text of tokens first to last on one line."""
        if last < first:
            return ""
        text = self.text[self.tokens[first].begin:self.tokens[last].end]
        return " ".join(re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL).split())

    def pure(self, first, last):
        tokens = self.tokens[first:last + 1]
        return not any(t.text in ASSIGN or t.text in ("++", "--") or
                       (n.text == "(" and re.match(r"\w", t.text) and t.text not in PURE)
                       for t, n in zip(tokens, tokens[1:] + [Token("", 0, 0)]))

    def add(self, kind, first, last, text, probe=""):
        begin, end = self.tokens[first].begin, self.tokens[last].end
        old = self.between(first, last)
        line_begin = self.text.rfind("\n", 0, begin) + 1
        line_end = self.text.find("\n", end)
        lines = "".join(self.text[line_begin:line_end].split())
        self.found.append(Mutant(self.path, self.text.count("\n", 0, begin) + 1, begin, end, old,
                                 text, probe if probe and self.pure(first, last) else "1", kind,
                                 f"{self.path} {kind} {old} {text} {lines}", self.function))

    def operator(self, i, level):
        sign, first, last = self.tokens[i].text, self.first(i, level), self.last(i, level)
        left, right = self.between(first, i - 1), self.between(i + 1, last)
        if not left or not right:
            return
        whole = f"{left} {sign} {right}"
        drops = {"&&": (f"({left}) && !({right})", f"!({left})"),
                 "||": (f"!({left}) && ({right})", f"({left})")}.get(
                     sign, (f"({left}) != ({whole})", f"({right}) != ({whole})"))
        # If the key could not be allocated, a missing array makes no difference.
        if sign == "||" and re.fullmatch(r"!\w+", left) and right.startswith(("array_reserve(", "array_grow(")):
            drops = (drops[0], None)
        # glibc's calloc() of 0 items does not return NULL.
        if right == "1" and self.tokens[first - 2].text == "calloc":
            drops = (None, drops[1])
        if sign in OTHER and not (level == PRECEDENCE["<"] and
                                  self.same_if_equal(first, last, left, right)):
            new = f"{left} {OTHER[sign]} {right}"
            self.add("other operator", first, last, new, f"({new}) != ({whole})")
        if level not in (PRECEDENCE["<"], PRECEDENCE["=="]) and right not in ERRORS and drops[0]:
            self.add("without right term", first, last, left, drops[0])
        if sign in ("&&", "||", "+", "|") and left not in ERRORS and drops[1]:
            self.add("without left term", first, last, right, drops[1])

    def same_if_equal(self, first, last, left, right):
        """Does "<=" do the same as "left < right" here? True where both are known to differ, and in
        a minimum, a maximum, or a difference limited to 0."""
        before = " ".join(self.text[:self.tokens[first].begin][-200:].split())
        after = " ".join(self.text[self.tokens[last].end:][:200].split())
        apart = f"{left} != {right}"
        return before.endswith((f"if ({apart}) return", f"{apart} ? (")) or any(
            re.match(r"\? (\(\w+\))?" + re.escape(f"{a} : {b}") + r"\W*[;,)]", after) for a, b in (
                (left, right), (right, left), (f"{left} - {right}", "0"),
                (f"{right} - {left}", "0")))

    def condition(self, first, last):
        """Negates a condition that is neither a comparison nor a combination."""
        if not any(self.binary(i) and self.binary(i) <= PRECEDENCE["<"]
                   for i in range(first, last + 1)) and self.tokens[first].text != "!":
            self.add("negated", first, last, f"!({self.between(first, last)})")

    def statement(self, first):
        """Removes an assignment, a step or a call. first: its first token."""
        end = first
        while self.tokens[end].text not in (";", "{", "}", ")"):
            end = self.match[end] + 1 if self.tokens[end].text in "([" else end + 1
        words = [t.text for t in self.tokens[first:end]]
        text = self.between(first, end)
        if self.tokens[end].text != ";" or not words or UNSEEN.match(text):
            return
        call = len(words) > 2 and words[1] == "(" and self.match.get(first + 1) == end - 1
        if re.match(r"(return|goto|break|continue|for|while|if|switch|case|do|_\w+)$", words[0]):
            return
        # A declaration has two words, or a star, before the sign.
        name = 1
        while first + name < end and words[name] in ("->", ".", "["):
            name = self.match[first + name] - first + 1 if words[name] == "[" else name + 2
        if not call and (name >= len(words) or words[name] not in ASSIGN | {"++", "--"}):
            return
        probe = f"({self.between(first + 2, end - 1)}) != 0" if words[1:2] == ["+="] else ""
        self.add("removed", first, end, ";", probe)

    def look(self, i):
        text, before = self.tokens[i].text, self.tokens[i - 1].text
        level = self.binary(i)
        if level:
            self.operator(i, level)
        elif text == "!":
            last = self.last(i, 98)
            self.add("negated", i, last, self.between(i + 1, last))
        elif text == "(" and before in ("if", "while"):
            self.condition(i + 1, self.match[i] - 1)
        elif text == "?" and self.first(i, 0) < i:
            self.condition(self.first(i, 0), i - 1)
        elif text in ("true", "false") and before == "return":
            self.add("other value", i, i, "false" if text == "true" else "true")
        elif text in OTHER and text.isidentifier():
            self.add("other function", i, i, OTHER[text])
        if before in (";", "{", "}", "else", ":") or (
                before == ")" and
                self.tokens[self.match[i - 1] - 1].text in ("if", "for", "while")):
            self.statement(i)

    def mutants(self):
        """All mutants of function bodies, except those about running out of memory."""
        i = 0
        while i < len(self.tokens):
            if self.tokens[i].text == "{" and self.tokens[i - 1].text == ")":
                self.function = self.tokens[self.match[i - 1] - 1].text
                for inner in range(i + 1, self.match[i]):
                    self.look(inner)
            i = self.match[i] + 1 if self.tokens[i].text == "{" else i + 1
        return self.found


def choose(mutants, count, seed):
    """A sample that is stable: unchanged code keeps its mutants, wherever it moves."""
    seen = collections.Counter()
    order = []
    for mutant in mutants:
        seen[mutant.key] += 1
        name = f"{seed} {mutant.key} {seen[mutant.key]}"
        order.append((hashlib.sha256(name.encode()).digest(), mutant))
    return [mutant for _, mutant in sorted(order)[:count]]


def apply_one(text, mutant):
    """The source with only one mutant, keeping line numbers."""
    return text[:mutant.begin] + mutant.text + \
        "\n" * text.count("\n", mutant.begin, mutant.end) + text[mutant.end:]


def apply_all(text, chosen):
    """The source with mutants: {id: mutant}. An id is what mutant_is() compares."""
    inserted = []
    for number, m in chosen.items():
        if m.kind == "removed":
            before = f"{{ if (!mutant_is({number}, {m.probe})) "
            after = " }"
        else:
            before = f"(mutant_is({number}, {m.probe}) ? ({m.text}) : ("
            after = "))"
        inserted.append((m.begin, 1, -m.end, before))
        inserted.append((m.end, 0, -m.begin, after))
    # The outer one of two at the same place begins first and ends last.
    for place, _, _, new in sorted(inserted, reverse=True):
        text = text[:place] + new + text[place:]
    return text
