// Markdown as elements. Text becomes text nodes and nothing else, so that nothing an agent writes is markup or a script.
'use strict';
const markdown = (() => {
  const make = (name, children = [], text) => {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    element.append(...children);
    return element;
  };

  // Inline parts, in the order in which they are looked for.
  const parts = [
    [/`([^`]+)`/, (found) => make('code', [], found[1])],
    [/!?\[([^\]]*)\]\(\s*<?([^\s)>]+)>?[^)]*\)/, (found) => link(found[2], found[1] || found[2])],
    [/\*\*(\S(?:[^]*?\S)?)\*\*/, (found) => make('strong', inline(found[1]))],
    [/__(\S(?:[^]*?\S)?)__/, (found) => make('strong', inline(found[1]))],
    [/\*(\S(?:[^*]*?\S)?)\*/, (found) => make('em', inline(found[1]))],
    [/~~(\S(?:[^]*?\S)?)~~/, (found) => make('del', inline(found[1]))],
    [/https?:\/\/[^\s<>"')\]]+[^\s<>"')\].,;:!?]/, (found) => link(found[0], found[0])],
    [/\n/, () => document.createElement('br')],
  ];

  function link(address, words) {
    if (!/^(https?:\/\/|mailto:)/i.test(address)) return document.createTextNode(words);
    const anchor = make('a', [], words);
    anchor.href = address;
    anchor.target = '_blank';
    anchor.rel = 'noopener noreferrer nofollow';
    return anchor;
  }

  function inline(text) {
    const nodes = [];
    while (text) {
      let first = null;
      for (const [pattern, render] of parts) {
        const found = pattern.exec(text);
        if (found && (!first || found.index < first.found.index)) first = { found, render };
      }
      if (!first) break;
      const { found, render } = first;
      if (found.index) nodes.push(document.createTextNode(text.slice(0, found.index)));
      nodes.push(render(found));
      text = text.slice(found.index + found[0].length);
    }
    if (text) nodes.push(document.createTextNode(text));
    return nodes;
  }

  const bullet = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
  const row = (line) => line.trim().replace(/^\||\|$/g, '').split('|').map((cell) => cell.trim());

  function list(lines) {
    const depth = bullet.exec(lines[0])[1].length;
    const ordered = /\d/.test(bullet.exec(lines[0])[2]);
    const items = [];
    for (const line of lines) {
      const found = bullet.exec(line);
      if (found && found[1].length <= depth) items.push({ text: found[3], inner: [] });
      else items[items.length - 1].inner.push(line);
    }
    const element = make(ordered ? 'ol' : 'ul', items.map(({ text, inner }) => {
      const nested = inner.findIndex((line) => bullet.test(line));
      const more = (nested < 0 ? inner : inner.slice(0, nested)).map((line) => line.trim()).join('\n');
      return make('li', [...inline(more ? `${text}\n${more}` : text), ...(nested < 0 ? [] : [list(inner.slice(nested))])]);
    }));
    if (ordered) element.start = parseInt(bullet.exec(lines[0])[2], 10);
    return element;
  }

  function table(lines) {
    const [head, , ...rows] = lines.map(row);
    const cells = (kind, texts) => make('tr', texts.map((text) => make(kind, inline(text))));
    return make('table', [make('thead', [cells('th', head)]), make('tbody', rows.map((texts) => cells('td', texts)))]);
  }

  return function markdown(text) {
    const lines = text.replace(/\r\n?/g, '\n').split('\n');
    const blocks = [];
    const take = (while_) => {
      const taken = [];
      while (lines.length && while_(lines[0])) taken.push(lines.shift());
      return taken;
    };
    while (lines.length) {
      const line = lines[0];
      const fence = /^\s*(```+|~~~+)/.exec(line);
      const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
      if (!line.trim()) lines.shift();
      else if (fence) {
        lines.shift();
        const code = take((next) => !next.trim().startsWith(fence[1]));
        lines.shift();
        blocks.push(make('pre', [make('code', [], code.join('\n'))]));
      } else if (heading) {
        lines.shift();
        blocks.push(make(heading[1].length < 2 ? 'h2' : heading[1].length < 3 ? 'h3' : 'h4', inline(heading[2])));
      } else if (/^\s*>/.test(line)) {
        const quoted = take((next) => /^\s*>/.test(next)).map((next) => next.replace(/^\s*> ?/, ''));
        blocks.push(make('blockquote', markdown(quoted.join('\n'))));
      } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
        lines.shift();
        blocks.push(document.createElement('hr'));
      } else if (bullet.test(line)) {
        blocks.push(list(take((next) => bullet.test(next) || /^\s{2,}\S/.test(next))));
      } else if (line.includes('|') && /^\s*\|?\s*:?-{2,}/.test(lines[1] ?? '')) {
        blocks.push(table(take((next) => next.includes('|'))));
      } else {
        const plain = (next) => next.trim() && !/^\s*(```|~~~|>|#{1,6}\s)/.test(next) && !bullet.test(next);
        const said = [lines.shift(), ...take(plain)];
        blocks.push(make('p', inline(said.join('\n'))));
      }
    }
    return blocks;
  };
})();
