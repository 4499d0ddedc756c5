const __code = ((given, outer) => {
  const unavailable = (what, instead) => {
    throw new Error(`${what} is not available in the LangChain Code node. ${instead}`);
  };
  const refusing = (what, instead) => () => unavailable(what, instead);

  const answers = given.answers;
  const open = [];
  let asked = 0;
  let stop;
  const stopped = new Promise((resolve) => { stop = resolve; });
  const ask = (call) => {
    const number = asked++;
    if (number >= answers.length) {
      open.push(JSON.parse(JSON.stringify(call)));
      setTimeout(() => stop({ [given.mark]: open }), 0);
      return new Promise(() => {});
    }
    const answer = answers[number];
    if (answer.on !== call.on || answer.does !== call.does) {
      return Promise.reject(new Error('The code calls something else each time it runs. Its calls must not depend on time or chance.'));
    }
    return answer.error === undefined ? Promise.resolve(answer.value) : Promise.reject(new Error(answer.error));
  };

  const textOf = (content) => {
    if (content === undefined || content === null) return '';
    if (!Array.isArray(content)) return typeof content === 'object' ? JSON.stringify(content) : String(content);
    const part = (one) => typeof one === 'string' ? one : one.type === 'text' ? one.text : unavailable(`A message part of type '${one.type}'`, 'Send text.');
    return content.map(part).join('');
  };
  class BaseMessage {
    constructor(fields, type) {
      Object.assign(this, typeof fields === 'string' || Array.isArray(fields) ? { content: fields } : fields);
      this.type = type;
    }
    _getType() { return this.type; }
    getType() { return this.type; }
    get text() { return textOf(this.content); }
    toString() { return this.text; }
  }
  class HumanMessage extends BaseMessage { constructor(fields) { super(fields, 'human'); } }
  class SystemMessage extends BaseMessage { constructor(fields) { super(fields, 'system'); } }
  class AIMessage extends BaseMessage { constructor(fields) { super(fields, 'ai'); } }
  const roles = { human: 'user', user: 'user', ai: 'assistant', assistant: 'assistant', system: 'system' };
  const classes = { user: HumanMessage, assistant: AIMessage, system: SystemMessage };
  const messageOf = (one) => {
    if (typeof one === 'string') return { role: 'user', content: one };
    const [type, content] = Array.isArray(one) ? one : [one.type || one.role, one.content];
    const role = roles[type] || unavailable(`A message of type '${type}'`, 'Use system, user and assistant messages.');
    return { role, content: textOf(content) };
  };
  const messagesOf = (input) => {
    if (input && Array.isArray(input.messages)) return input.messages.map(messageOf);
    return Array.isArray(input) ? input.map(messageOf) : [messageOf(input)];
  };

  const runnable = (invoke, more) => Object.assign({
    invoke,
    call: invoke,
    batch: (inputs) => Promise.all(inputs.map((input) => invoke(input))),
    pipe: (next) => { const after = step(next); return runnable(async (input) => after.invoke(await invoke(input))); },
    stream: refusing('Streaming', 'Use invoke.'),
  }, more);
  const step = (one) => {
    if (typeof one === 'function') return runnable(async (input) => one(input));
    if (one && typeof one.invoke === 'function') return one;
    if (!one || typeof one !== 'object') unavailable('This step of a chain', 'Use a prompt, a model, a parser or a function.');
    return runnable(async (input) => {
      const made = await Promise.all(Object.values(one).map((value) => step(value).invoke(input)));
      return Object.fromEntries(Object.keys(one).map((key, index) => [key, made[index]]));
    });
  };
  const format = (template, values) => template.replace(/\{\{|\}\}|\{([^{}]+)\}/g, (found, name) => {
    if (name === undefined) return found[0];
    if (!values || !(name in values)) throw new Error(`Missing value for input variable \`${name}\``);
    return textOf(values[name]);
  });
  const PromptTemplate = {
    fromTemplate: (template) => runnable(async (values) => ({ messages: [new HumanMessage(format(template, values))] }), {
      template,
      format: async (values) => format(template, values),
    }),
  };
  const ChatPromptTemplate = {
    fromTemplate: PromptTemplate.fromTemplate,
    fromMessages: (entries) => runnable(async (values) => ({
      messages: entries.flatMap((entry) => {
        if (entry instanceof BaseMessage) return [entry];
        if (entry && entry.placeholder) return values[entry.placeholder] || [];
        const { role, content } = messageOf(entry);
        return [new classes[role](format(content, values))];
      }),
    })),
  };
  class MessagesPlaceholder { constructor(name) { this.placeholder = typeof name === 'string' ? name : name.variableName; } }
  class DynamicTool {
    constructor(fields) { Object.assign(this, fields); }
    getName() { return this.name; }
    invoke(input) { return this.func(input); }
    call(input) { return this.func(input); }
  }
  const StringOutputParser = function () { return runnable(async (message) => textOf(message && message.content !== undefined ? message.content : message)); };
  const RunnableLambda = { from: step };
  const RunnableSequence = { from: (steps) => steps.slice(1).reduce((chain, next) => chain.pipe(next), step(steps[0])) };
  const modules = {
    prompts: { PromptTemplate, ChatPromptTemplate, MessagesPlaceholder },
    messages: { BaseMessage, HumanMessage, SystemMessage, AIMessage },
    tools: { DynamicTool, DynamicStructuredTool: DynamicTool, tool: (func, fields) => new DynamicTool({ ...fields, func }) },
    output_parsers: { StringOutputParser },
    runnables: { RunnableLambda, RunnableSequence },
  };
  modules.schema = { ...modules.messages, ...modules.output_parsers };
  const require = (name) => {
    const found = /^(?:langchain|@langchain\/core)\/(\w+)$/.exec(String(name));
    const module = found && modules[found[1]];
    if (!module) unavailable(`The package '${name}'`, 'Connect a node that does the same, and reach it with this.getInputConnectionData().');
    return new Proxy(module, {
      get: (target, key) => key in target || typeof key === 'symbol' ? target[key] : unavailable(`'${String(key)}' of '${name}'`, 'Connect a node that does the same.'),
    });
  };

  const origins = new WeakMap();
  const connected = (handle, object) => {
    const sealed = new Proxy(object, { set: (_, key) => unavailable(`Setting '${String(key)}' of a connected node`, 'Set it in the node.') });
    origins.set(sealed, handle.id);
    return sealed;
  };
  const documents = (found) => found.map((one) => ({ pageContent: one.pageContent, metadata: one.metadata }));
  const kinds = {
    ai_languageModel: (handle) => {
      const invoke = async (input) => {
        const reply = await ask({ on: handle.id, does: 'invoke', messages: messagesOf(input) });
        return new AIMessage({ content: reply.text, usage_metadata: reply.usage, response_metadata: { model_name: reply.model }, tool_calls: [] });
      };
      const instead = 'Use an agent or a chain node.';
      return runnable(invoke, {
        name: handle.name, model: handle.model, modelName: handle.model,
        predict: async (text) => (await invoke(text)).content,
        bindTools: refusing('bindTools', instead), bind: refusing('bind', instead), generate: refusing('generate', 'Use invoke.'),
        withStructuredOutput: refusing('withStructuredOutput', instead),
      });
    },
    ai_tool: (handle) => {
      const invoke = async (input) => ask({ on: handle.id, does: 'invoke', input: input && input.args !== undefined ? input.args : input });
      return runnable(invoke, { name: handle.name, description: handle.description, schema: handle.schema, getName: () => handle.name, func: invoke });
    },
    ai_memory: (handle) => {
      const load = async () => (await ask({ on: handle.id, does: 'load' })).map((one) => new classes[one.role]({ content: one.content }));
      const save = refusing('Writing to a memory', 'Connect the memory to an agent, or use Chat Memory Manager.');
      return { memoryKey: 'chat_history', loadMemoryVariables: async () => ({ chat_history: await load() }), saveContext: save,
        chatHistory: { getMessages: load, addMessage: save, addUserMessage: save, addAIMessage: save, addAIChatMessage: save, clear: save } };
    },
    ai_embedding: (handle) => ({
      embedDocuments: (texts) => ask({ on: handle.id, does: 'embed', texts }),
      embedQuery: async (text) => (await ask({ on: handle.id, does: 'embed', texts: [text] }))[0],
    }),
    ai_vectorStore: (handle) => {
      const search = (query, k) => ask({ on: handle.id, does: 'search', query: String(query), k: k === undefined ? 4 : k });
      return { similaritySearch: async (query, k) => documents(await search(query, k)),
        similaritySearchWithScore: async (query, k) => (await search(query, k)).map((one) => [documents([one])[0], one.score]),
        addDocuments: refusing('addDocuments', 'Use the node of the vector store.') };
    },
    ai_retriever: (handle) => {
      const find = async (query) => documents(await ask({ on: handle.id, does: 'search', query: String(query) }));
      return runnable(find, { getRelevantDocuments: find });
    },
    ai_outputParser: (handle) => {
      const parse = async (input) => ask({ on: handle.id, does: 'parse', text: textOf(input && input.content !== undefined ? input.content : input) });
      return runnable(parse, { parse, getFormatInstructions: () => handle.instructions });
    },
  };
  const getInputConnectionData = async (name) => {
    const kind = given.names[name] || name;
    const there = given.connected[kind];
    if (!kinds[kind]) unavailable(`An input of type '${name}'`, 'Connect a model, tool, memory, embeddings, vector store, retriever or output parser.');
    const list = there ? there.list.map((handle) => connected(handle, kinds[kind](handle))) : [];
    return there && !there.single ? list : list[0];
  };

  const noRequests = refusing('Sending requests', 'Use an HTTP Request node, or connect it as a tool.');
  const helpers = new Proxy({}, { get: (_, key) => /request/i.test(String(key)) ? noRequests : outer.helpers[key] });
  for (const [name, value] of Object.entries({ fetch: noRequests, $helpers: helpers })) {
    try { globalThis[name] = value; } catch (_) { continue; }
  }
  for (const level of ['log', 'info', 'warn', 'error', 'debug']) {
    const told = console[level];
    try { console[level] = (...words) => { if (asked >= answers.length) told.apply(console, words); }; } catch (_) { continue; }
  }
  const receiver = Object.assign({}, outer, { helpers, getInputConnectionData, getNodeOutputs: () => given.outputs, addInputData: () => ({ index: 0 }), addOutputData: () => {} });

  const described = (one) => {
    if (one && origins.has(one)) return { connected: origins.get(one) };
    const isTool = one && typeof one.name === 'string' && typeof (one.func || one.invoke) === 'function';
    if (!isTool) unavailable('What the code supplies', 'Return a connected node, or tools made with DynamicTool.');
    const schema = one.schema && typeof one.schema === 'object' && one.schema.type === 'object' ? JSON.parse(JSON.stringify(one.schema)) : null;
    return { tool: { name: one.name, description: String(one.description || ''), schema } };
  };
  const supply = async (result) => {
    const list = (Array.isArray(result) ? result : [result]).filter((one) => one !== undefined && one !== null);
    if (!given.call) return { __supplied: list.map(described) };
    const tool = list[given.call.index];
    return { __result: await (tool.func ? tool.func(given.call.input) : tool.invoke(given.call.input)) };
  };
  const main = (program) => {
    const running = (async () => {
      const result = await program.call(receiver);
      return given.supplies ? supply(result) : result;
    })();
    return Promise.race([running, stopped]);
  };
  return { main, require };
})(__given, this);
const require = __code.require;
