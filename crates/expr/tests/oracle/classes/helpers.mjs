// Helper functions of n8n that nodes use: filter conditions, type checks, JSON, expression texts.

import * as make from '../values.mjs';

const OPERATIONS = {
  string: ['empty', 'notEmpty', 'exists', 'notExists', 'equals', 'notEquals', 'contains', 'notContains', 'startsWith', 'notStartsWith', 'endsWith', 'notEndsWith', 'regex', 'notRegex'],
  number: ['empty', 'notEmpty', 'exists', 'notExists', 'equals', 'notEquals', 'gt', 'lt', 'gte', 'lte'],
  boolean: ['empty', 'notEmpty', 'exists', 'notExists', 'true', 'false', 'equals', 'notEquals'],
  dateTime: ['empty', 'notEmpty', 'exists', 'notExists', 'equals', 'notEquals', 'after', 'before', 'afterOrEquals', 'beforeOrEquals'],
  array: ['empty', 'notEmpty', 'exists', 'notExists', 'contains', 'notContains', 'lengthEquals', 'lengthNotEquals', 'lengthGt', 'lengthLt', 'lengthGte', 'lengthLte'],
  object: ['empty', 'notEmpty', 'exists', 'notExists'],
};
const SINGLE = new Set(['empty', 'notEmpty', 'exists', 'notExists', 'true', 'false']);
const PATTERNS = ['a', '^a', '/a/i', '/A/', '\\d+', '/[/', '', '/x/g', '(a|b)$', '/^.*$/s', '.', '/\\//'];

function value(random) {
  return random.one([
    (r) => make.text(r), (r) => make.word(r), (r) => Number(r.pick(['0', '1', '-1', '3.5', '42'])), (r) => r.pick([true, false]), () => null, () => ({ $undefined: true }), (r) => r.times(0, 3, () => r.pick([1, 'a', 'A', null, true])),
    (r) => r.pick([{}, { a: 1 }]), (r) => make.numberText(r), (r) => make.booleanText(r), (r) => make.dateText(r), (r) => r.pick(['', ' ', '[]', '{}', '[1,2]', '{"a":1}']),
  ]);
}
function fitting(random, type) {
  if (random.chance(0.25)) return value(random);
  return { string: make.word, number: (r) => r.pick([0, 1, 2, -1, 1.5, '1', '2']), boolean: (r) => r.pick([true, false, 'true', 'false', 1, 0]), dateTime: (r) => make.isoText(r), array: (r) => r.times(0, 3, () => r.pick(['a', 'b', 1, 2])), object: (r) => r.pick([{}, { a: 1 }]) }[type](random);
}
function condition(random, at) {
  const type = random.pick(Object.keys(OPERATIONS));
  const operation = random.pick(OPERATIONS[type]);
  const operator = { type, operation, ...(SINGLE.has(operation) ? { singleValue: true } : {}), ...(type === 'array' && operation.startsWith('length') ? { rightType: 'number' } : {}), ...(type === 'array' && operation.endsWith('ontains') ? { rightType: 'any' } : {}) };
  const leftValue = fitting(random, type);
  const right = type === 'array' ? (operation.startsWith('length') ? random.pick([0, 1, 2, '1']) : random.pick(['a', 1, 'A', '1'])) : operation.endsWith('egex') ? random.pick(PATTERNS) : random.chance(0.2) ? leftValue : fitting(random, type);
  return { id: String(at), leftValue, rightValue: SINGLE.has(operation) ? '' : right, operator };
}
const filter = (random) => ({
  options: { caseSensitive: random.chance(0.5), leftValue: '', typeValidation: random.pick(['strict', 'loose', 'loose']), ...(random.chance(0.7) ? { version: random.pick([1, 2]) } : {}) },
  conditions: random.times(1, random.pick([1, 1, 1, 3]), (at) => condition(random, at)),
  combinator: random.pick(['and', 'or']),
});

const TYPES = ['string', 'number', 'boolean', 'dateTime', 'time', 'array', 'object', 'options', 'url', 'jwt', 'form-fields', 'string-alphanumeric'];
const AI = ["$fromAI('a')", "$fromAI('a', 'text')", "$fromAI('a', 'text', 'number')", "$fromAI('a', 'text', 'number', 5)", "$fromAI(\"a\", `b`, 'boolean', true)", "$fromAI('a', 'it\\'s', 'json', {\"x\":1})", "$fromAI('')", '$fromAI()', "$fromAI('a', 'b', 'nope')", "$fromAI('a b')", "$fromAI(variable)", "$fromAI('a', 'with, comma')", "$fromAI('a', '(paren)')", "$fromAI('a'", "$fromAi('a')", "$fromai('x','y')", "$fromAI('a') + $fromAI('b')", "$fromAI('a', '', 'string', '')", "$fromAI('a', undefined, 'number', -1.5)", "$FROMAI('a')", "$fromAI( 'a' , 'b' )", "'$fromAI(1)'", "$fromAI('a', 'b', 'json', '[1]')", "$fromAI('a', 'b', 'boolean', 'yes')", "$fromAI('a', 'b', 'number', 'x')"];

const HELPERS = {
  executeFilter: (r) => [filter(r)],
  validateFieldType: (r) => ['field', value(r), r.pick(TYPES), { strict: r.chance(0.3), parseStrings: r.chance(0.3), valueOptions: [{ name: 'A', value: 'a' }, { name: '1', value: 1 }] }],
  jsonParse: (r) => [make.jsonText(r), r.pick([{}, { acceptJSObject: true }, { repairJSON: true }, { errorMessage: 'bad' }, { fallbackValue: { f: 1 } }])],
  extractFromAICalls: (r) => [`={{ ${r.times(1, 2, () => r.pick(AI)).join(r.pick([' ', ' + ', ' }} {{ ']))} }}`],
  isFromAIOnlyExpression: (r) => [`${r.pick(['=', '', '= '])}{{${r.pick([' ', ''])}${r.pick(AI)}${r.pick(['', ' + 1', '; '])}${r.pick([' ', ''])}}}${r.pick(['', '', 'x'])}`],
  nodeNameToToolName: (r) => [make.text(r)],
  sanitizeFilename: (r) => [r.one([make.text, (q) => q.pick(['a/b.txt', '..', '.', 'CON', 'a\u0000b', 'x'.repeat(300), 'a:b', 'file.', ' lead', 'a\\b', '../../etc/passwd', ''])])],
  isExpression: (r) => [value(r)], splitExpression: (r) => [r.pick(['{{ a }}', 'a {{ b }} c', '{{ a', 'a }}', '\\{{ a }}', '{{ "}}" }}', '{{a}}{{b}}', '', '{{}}', '\\\\{{ a }}', '{{ a \\}} b }}', '{{{ a }}}']) + make.word(r)],
  applyAccessPatterns: (r) => [r.pick(["={{ $('Old').item.json.a }}", '={{ $node["Old"].json.a }}', '={{ $node.Old.json }}', "={{ $items('Old') }}", '={{ $items("Old", 0) }}', 'Old', "={{ 'Old' }}", '={{ $("Old").first() + $(\'Older\').item }}', '={{ $(`Old`).item }}', '={{ $node[\'Old\'].data }}', "={{ $( 'Old' ).item }}"]), 'Old', r.pick(['New', "N'ew", 'New "x"', 'New Node', '$&', '1New', 'New.x'])],
  isSubMinuteCron: (r) => [r.pick(['* * * * *', '*/30 * * * * *', '0 * * * * *', '0,30 * * * * *', '5 4 * * *', '* * * * * *', 'x', '', '*/60 * * * * *', '0 0 1 1 *'])],
  toCronExpression: (r) => [r.pick([{ mode: 'custom', cronExpression: ' 1 2 3 4 5 ' }])],
  tryToParseUrl: (r) => [make.address(r)], arrayContainsValue: (r) => [r.times(0, 3, () => value(r)), value(r), r.chance(0.5)], sanitizeXmlName: (r) => [make.text(r)], isSafeObjectProperty: (r) => [r.pick(['a', 'constructor', '__proto__', 'prototype', 'toString', 'mainModule', 'getPrototypeOf', ''])],
  dollarEscape: (r) => [make.text(r)], backslashEscape: (r) => [make.text(r)], hasDotNotationBannedChar: (r) => [make.text(r)],
};
export function helpers(random) {
  const name = random.chance(0.5) ? 'executeFilter' : random.pick(Object.keys(HELPERS));
  return { function: name, args: HELPERS[name](random) };
}
