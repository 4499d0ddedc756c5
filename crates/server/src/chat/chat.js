// The conversation of a hosted chat.
'use strict';
(() => {
  const settings = JSON.parse(document.getElementById('settings').textContent);
  const at = (id) => document.getElementById(id);
  const address = location.pathname + location.search;
  const sessionKey = `heddle-chat:${location.pathname}`;
  let session = stored() ?? begin();
  /** Stops the answer that is coming. */
  let going = null;
  let files = [];

  at('title').textContent = settings.title;
  at('subtitle').textContent = settings.subtitle;
  at('subtitle').hidden = !settings.subtitle;
  at('input').placeholder = settings.placeholder;
  at('attach').hidden = settings.accepts === null;
  if (settings.accepts && settings.accepts !== '*') at('picker').accept = settings.accepts;

  // Conversations

  function stored() {
    try { return localStorage.getItem(sessionKey); } catch { return null; }
  }

  function begin() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    const id = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    try { localStorage.setItem(sessionKey, id); } catch { /* Without storage it lasts as long as the page. */ }
    return id;
  }

  function greet() {
    for (const line of settings.greeting) answer().finish(line);
  }

  async function open() {
    const said = settings.previous ? await previous() : [];
    if (said.length) {
      for (const { mine, text } of said) mine ? say(text, []) : answer().finish(text);
    } else if (settings.welcome !== null) {
      at('begin').textContent = settings.welcome;
      show('welcome');
      return;
    } else greet();
    show('conversation');
  }

  function show(what) {
    at('welcome').hidden = what !== 'welcome';
    at('footer').hidden = what === 'welcome';
    at('again').hidden = what === 'welcome';
    if (what !== 'welcome') at('input').focus();
    scroll('always');
  }

  async function previous() {
    try {
      const response = await post(address, JSON.stringify({ action: 'loadPreviousSession', sessionId: session }));
      const { data } = await response.json();
      return data.map((message) => ({ mine: message.id.includes('HumanMessage'), text: String(message.kwargs.content) }));
    } catch { return []; }
  }

  function startOver() {
    going?.abort();
    session = begin();
    at('messages').replaceChildren();
    greet();
    show('conversation');
    tell('A new conversation has begun.');
  }

  // Messages

  const make = (name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  function say(text, sent) {
    const bubble = make('div', 'chat-message chat-message-from-user', text);
    if (sent.length) bubble.append(make('span', 'sent-files', sent.map((file) => file.name).join(', ')));
    at('messages').append(bubble);
    scroll('always');
  }

  /** A message of the other side, which grows. */
  function answer() {
    const bubble = make('div', 'chat-message chat-message-from-bot');
    const tools = make('ul', 'tools');
    const words = make('div', 'words');
    const typing = make('div', 'typing');
    typing.setAttribute('aria-label', 'An answer is on its way');
    typing.append(make('i'), make('i'), make('i'));
    bubble.append(tools, words, typing);
    at('messages').append(bubble);
    const running = new Map();
    let text = '';
    let due = false;
    const draw = () => {
      due = false;
      words.replaceChildren(...markdown(text));
      for (const block of words.querySelectorAll('pre')) block.append(copyButton(block));
      scroll();
    };
    return {
      add(piece) {
        text += piece;
        typing.hidden = Boolean(text.trim());
        if (!due) requestAnimationFrame(draw);
        due = true;
      },
      paragraph() { if (text.trim()) text += '\n\n'; },
      toolStarts({ id, name, arguments: given }) {
        const chip = make('li', 'tool running');
        running.set(id, { chip, given });
        fill(chip, '…', name, '', given === undefined ? [] : [['Asked', given]]);
        tools.append(chip);
        typing.hidden = true;
        scroll();
      },
      toolEnds({ id, name, isError, durationMs, result }) {
        const { chip, given } = running.get(id) ?? { chip: tools.appendChild(make('li')) };
        chip.className = isError ? 'tool failed' : 'tool done';
        const time = durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
        const told = [['Asked', given], ['Result', result]].filter(([, value]) => value !== undefined);
        fill(chip, isError ? '✗' : '✓', name, time, told);
        running.delete(id);
        typing.hidden = Boolean(text.trim()) || running.size > 0;
      },
      finish(whole) {
        if (whole !== undefined) text = whole;
        typing.remove();
        draw();
        if (!text.trim() && !tools.children.length && !bubble.querySelector('.wrong')) bubble.remove();
      },
      fail(message, again) {
        typing.remove();
        const note = make('div', 'wrong', message);
        note.setAttribute('role', 'alert');
        if (again) {
          const button = make('button', '', 'Try again');
          button.type = 'button';
          button.onclick = () => { bubble.remove(); again(); };
          note.append(button);
        }
        bubble.append(note);
        scroll('always');
      },
    };
  }

  function fill(chip, mark, name, time, told) {
    const line = [make('span', 'mark', mark), document.createTextNode(name), make('span', 'time', time)];
    line[0].setAttribute('aria-hidden', 'true');
    if (!told.length) return chip.replaceChildren(...line);
    const details = make('details');
    const summary = make('summary');
    summary.append(...line);
    details.append(summary);
    for (const [label, value] of told) {
      details.append(make('strong', '', label), make('pre', '', typeof value === 'string' ? value : JSON.stringify(value, null, 2)));
    }
    chip.replaceChildren(details);
  }

  function copyButton(block) {
    const button = make('button', 'copy', 'Copy');
    button.type = 'button';
    button.onclick = async () => {
      await navigator.clipboard?.writeText(block.querySelector('code').textContent);
      tell('Copied.');
    };
    return button;
  }

  /** Keeps the end in sight, unless somebody reads further up. */
  function scroll(when) {
    const body = at('scroll');
    const isNear = body.scrollHeight - body.scrollTop - body.clientHeight < 140;
    if (when === 'always' || isNear) body.scrollTop = body.scrollHeight;
  }

  function tell(words) {
    at('status').textContent = words;
    setTimeout(() => { if (at('status').textContent === words) at('status').textContent = ''; }, 4000);
  }

  // Sending

  function post(url, body, signal) {
    const headers = { Accept: 'application/json' };
    if (typeof body === 'string') headers['Content-Type'] = 'application/json';
    return fetch(url, { method: 'POST', body, headers, signal, credentials: 'same-origin' });
  }

  function message(text, sent) {
    const fields = { action: 'sendMessage', sessionId: session, chatInput: text };
    if (!sent.length) return JSON.stringify(fields);
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const file of sent) form.append('files', file, file.name);
    return form;
  }

  async function send(text, sent) {
    going = new AbortController();
    const { signal } = going;
    busy(true);
    const bubble = answer();
    try {
      const response = await post(address, message(text, sent), signal);
      if (!response.ok) throw new Error(await reason(response));
      if (settings.streams) await listen(response, bubble);
      else bubble.finish(wordsOf(await response.text()));
    } catch (error) {
      if (signal.aborted) bubble.finish();
      else bubble.fail(error.message, () => send(text, sent));
    } finally {
      if (going?.signal === signal) going = null;
      busy(going !== null);
    }
  }

  /** Reads a stream of lines, each a piece of JSON. */
  async function listen(response, bubble) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    let began = 0;
    const hear = (line) => {
      if (!line.trim()) return;
      const { type, content } = JSON.parse(line);
      if (type === 'begin' && began++) bubble.paragraph();
      else if (type === 'item') bubble.add(readable(content));
      else if (type === 'tool-start') { bubble.paragraph(); bubble.toolStarts(content); }
      else if (type === 'tool-end') bubble.toolEnds(content);
      else if (type === 'error') bubble.fail('Something went wrong on our side. Please try again later.');
    };
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop();
      lines.forEach(hear);
    }
    hear(rest);
    bubble.finish();
  }

  /** A piece that is no text is the item of a last node. */
  function readable(content) {
    if (!content?.startsWith('{')) return content ?? '';
    return wordsOf(content);
  }

  /** What a workflow answers: the field that holds the words, or all of it. */
  function wordsOf(text) {
    let found;
    try { found = JSON.parse(text); } catch { return text; }
    if (Array.isArray(found)) [found] = found;
    const words = found?.output ?? found?.response ?? found?.text ?? found?.message;
    if (typeof words === 'string') return words;
    return typeof found === 'string' ? found : `\`\`\`\n${JSON.stringify(words ?? found, null, 2)}\n\`\`\``;
  }

  async function reason(response) {
    const body = await response.json().catch(() => ({}));
    if (response.status >= 500) return 'Something went wrong on our side. Please try again later.';
    return body.message ?? `The message was not taken (${response.status}).`;
  }

  function busy(is) {
    at('send').hidden = is;
    at('stop').hidden = !is;
    at('messages').setAttribute('aria-busy', String(is));
    if (!is) at('input').focus();
    ready();
  }

  function ready() {
    at('send').disabled = !at('input').value.trim() && !files.length;
    at('input').style.height = 'auto';
    at('input').style.height = `${at('input').scrollHeight}px`;
  }

  function submit() {
    const text = at('input').value.trim();
    if (going || (!text && !files.length)) return;
    const sent = files;
    at('input').value = '';
    pick([]);
    say(text, sent);
    send(text, sent);
  }

  // Files

  function pick(chosen) {
    files = chosen;
    at('files').hidden = !files.length;
    at('files').replaceChildren(...files.map((file) => {
      const entry = make('li', 'file', file.name);
      const remove = make('button', '', '×');
      remove.type = 'button';
      remove.setAttribute('aria-label', `Remove ${file.name}`);
      remove.onclick = () => pick(files.filter((other) => other !== file));
      entry.append(remove);
      return entry;
    }));
    ready();
  }

  const takeFiles = (list) => { if (settings.accepts !== null) pick([...files, ...list]); };

  at('form').addEventListener('submit', (event) => { event.preventDefault(); submit(); });
  at('input').addEventListener('input', ready);
  at('input').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); submit(); }
  });
  at('input').addEventListener('paste', (event) => takeFiles(event.clipboardData.files));
  addEventListener('keydown', (event) => { if (event.key === 'Escape') going?.abort(); });
  at('stop').addEventListener('click', () => going?.abort());
  at('again').addEventListener('click', startOver);
  at('begin').addEventListener('click', startOver);
  at('attach').addEventListener('click', () => at('picker').click());
  at('picker').addEventListener('change', () => { takeFiles(at('picker').files); at('picker').value = ''; });
  addEventListener('dragover', (event) => { event.preventDefault(); at('form').classList.toggle('over', settings.accepts !== null); });
  addEventListener('dragleave', () => at('form').classList.remove('over'));
  addEventListener('drop', (event) => { event.preventDefault(); at('form').classList.remove('over'); takeFiles(event.dataTransfer.files); });
  ready();
  open();
})();
