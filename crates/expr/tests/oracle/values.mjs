// Values that cases are made of: each is a piece of JavaScript source.

export const quoted = (text) => JSON.stringify(text);
/** The same for a template inside of an expression, which a `}}` as it is would end. */
export const template = (text) => quoted(text).replace(/\{\{/g, '{" + "{').replace(/\}\}/g, '}" + "}');

const WORDS = ['alpha', 'Beta', 'GAMMA', 'naïve', 'straße', 'Ünïcödé', '日本語', 'ß', 'x', 'the', 'of', 'and', "it's", 'foo-bar', 'snake_case', 'camelCase', '42', '3.14', '-', '&', '😀', 'ĳ', 'İstanbul', 'Привет'];
const PLACES = ['example.com', 'sub.example.co.uk', 'localhost', 'n8n.io', '192.168.0.1', 'xn--mnchen-3ya.de', 'münchen.de', 'example', 'a.b', 'example.com:8080', '[::1]', 'EXAMPLE.org', 'foo_bar.com', '-bad-.com', 'example.museum', 't.co'];

export const word = (random) => random.pick(WORDS);
export const place = (random) => random.pick(PLACES);
export const words = (random) => random.times(0, 6, () => word(random)).join(random.pick([' ', ' ', ' ', '  ', '_', '-', '. ', '\n', ', ', '\t']));

export const address = (random) =>
  random.pick(['https://', 'http://', 'ftp://', 'file://', 'mailto:', '//', '', 'HTTPS://', 'ws://', 'https:/', 'javascript:', 'https://user:pw@']) +
  place(random) +
  random.pick(['', '/', '/a/b', '/a b', '?q=1', '/p?q=1&r=a%20b#frag', '#x', '/ü', ':443/x', '/a.html', '/..', '/a//b', '/(x)', '.', ',', ')', '/%zz']);

export const mail = (random) =>
  random.pick(['a', 'first.last', 'a+b', 'UPPER', 'ü', 'a b', '"quoted"', 'a..b', '.a', 'x_y', 'o\'neil', 'a-b']) + random.pick(['@', '@', '@', '@@', ' at ']) + place(random);

const MARKDOWN = ['# Title', '## Sub ##', '**bold**', '*it*', '__b__', '_i_', '~~s~~', '`code`', '```js\nlet a;\n```', '- item', '* item', '+ item', '1. one', '12) two', '> quote', '>> deep', '[text](http://a.b)', '![img](a.png)', '[ref][1]', '[1]: http://a.b "T"', '---', '***', '===', '| a | b |', '<b>html</b>', '<br/>', '<!-- c -->', 'plain', 'a * b * c', 'snake_case_name', '**a', '<http://a.b>', '&amp;', '\\*esc\\*', '[^1]', 'Title\n====='];
export const markdown = (random) => random.times(1, 4, () => random.pick(MARKDOWN)).join(random.pick([' ', '\n', '\n\n', '']));

const HTML = ['<p>hi</p>', '<a href="x">l</a>', '<br>', '<br/>', '<img src=x>', 'a < b', 'a > b', '<div', '</div>', '<script>x</script>', '<!-- c -->', '&lt;', 'text', '<b\n>n</b>', '<>', '<p class="a>b">q</p>'];
export const html = (random) => random.times(1, 4, () => random.pick(HTML)).join(random.pick([' ', '', '\n']));

const JSON_TEXTS = ['{}', '[]', '{"a":1}', '[1,2,3]', '"x"', 'null', 'true', '1', '1e3', '-0', '{"a":{"b":[null]}}', '{a:1}', "{'a':1}", '{"a":1,}', '[1,]', '', ' ', 'undefined', 'NaN', '{"a":1} x', '{"a"', '[', '"abc', '01', '{"a":"\n"}', '\ufeff{}', '{"__proto__":1}', 'tru', '{"a":.5}', '{"a" 1}', '{"a":1 "b":2}', '[1 2]', '// c\n{}', '"\\x"', '"\\u00e9"', '+1', '{"a":"\t"}'];
export const jsonText = (random) => random.pick(JSON_TEXTS);

const NUMBER_TEXTS = ['0', '1', '-1', '42', '3.14', '1,234.5', '1.234,5', '1,5', '$5', '€ 12,50', '12 €', '£1,000,000', ' 7 ', '1e3', '1e-7', '0x1f', '0b11', '0o17', 'Infinity', '-Infinity', 'NaN', 'abc', '12abc', 'abc12', '', ' ', '1 000', '1_000', '.5', '5.', '--1', '+3', '१२', '١٢', '½', '1.2.3', '¥100', '100%', '(5)', '-$5', '5-', "1'000", '00012', '9007199254740993', '1e400'];
export const numberText = (random) => random.pick(NUMBER_TEXTS);

const BOOLEAN_TEXTS = ['true', 'false', 'TRUE', 'False', 'yes', 'no', 'NO', '1', '0', '', ' ', 'null', 'undefined', 'off', 'on', '00', ' false', 'n', 'y', 't', 'f', '-1'];
export const booleanText = (random) => random.pick(BOOLEAN_TEXTS);

/** Any text, as itself. */
export const text = (random) => random.one([words, words, words, address, mail, markdown, html, jsonText, numberText, booleanText, dateText, (r) => `${words(r)} ${r.one([address, mail])} ${words(r)}`]);

const two = (number) => String(number).padStart(2, '0');
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const LONG_MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function clock(random) {
  const at = new Date(Date.UTC(random.pick([1969, 1970, 1999, 2000, 2020, 2023, 2024, 2025, 2026, 2038, 2100]), random.below(12), random.between(1, 31), random.below(24), random.below(60), random.below(60), random.pick([0, 0, 5, 123, 999])));
  return {
    year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate(), hour: at.getUTCHours(), minute: at.getUTCMinutes(), second: at.getUTCSeconds(), millisecond: at.getUTCMilliseconds(), weekday: DAYS[at.getUTCDay()],
  };
}
const OFFSETS = ['Z', '+00:00', '-05:00', '+05:30', '+0200', '+02', '', ''];

/** ISO 8601 in its usual form. */
export function isoText(random) {
  const { year, month, day, hour, minute, second, millisecond } = clock(random);
  const date = `${year}-${two(month)}-${two(day)}`;
  if (random.chance(0.3)) return date;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${random.chance(0.5) ? `.${String(millisecond).padStart(3, '0')}` : ''}${random.pick(['Z', 'Z', '+00:00', '-05:00', '+05:30', ''])}`;
}

const DATE_FORMS = [
  (c) => `${c.year}-${two(c.month)}-${two(c.day)}`,
  (c) => `${c.year}${two(c.month)}${two(c.day)}`,
  (c) => `${c.year}-${two(c.month)}`,
  (c) => `${c.year}`,
  (c) => `${c.year}-W${two(Math.ceil(c.day / 2))}-${(c.day % 7) + 1}`,
  (c) => `${c.year}-${String(c.day * 10).padStart(3, '0')}`,
  (c) => `${c.year}/${two(c.month)}/${two(c.day)}`,
  (c) => `${c.year}/${c.month}/${c.day}`,
  (c) => `${c.year}-${c.month}-${c.day}`,
  (c) => `${two(c.month)}/${two(c.day)}/${c.year}`,
  (c) => `${c.month}/${c.day}/${c.year}`,
  (c) => `${two(c.day)}.${two(c.month)}.${c.year}`,
  (c) => `${two(c.day)}/${two(c.month)}/${c.year}`,
  (c) => `${c.day}-${c.month}-${c.year}`,
  (c) => `${two(c.day)}-${MONTHS[c.month - 1]}-${c.year}`,
  (c) => `${MONTHS[c.month - 1]} ${c.day}, ${c.year}`,
  (c) => `${LONG_MONTHS[c.month - 1]} ${c.day}, ${c.year}`,
  (c) => `${c.day} ${LONG_MONTHS[c.month - 1]} ${c.year}`,
  (c) => `${c.weekday}, ${two(c.day)} ${MONTHS[c.month - 1]} ${c.year}`,
  (c) => `${c.weekday} ${MONTHS[c.month - 1]} ${two(c.day)} ${c.year}`,
  (c) => `${LONG_MONTHS[c.month - 1]} ${c.year}`,
  (c) => `${c.month}/${c.day}/${two(c.year % 100)}`,
];
const TIME_FORMS = [
  () => '', () => '',
  (c) => ` ${two(c.hour)}:${two(c.minute)}:${two(c.second)}`,
  (c) => `T${two(c.hour)}:${two(c.minute)}:${two(c.second)}`,
  (c) => `T${two(c.hour)}:${two(c.minute)}`,
  (c) => `T${two(c.hour)}${two(c.minute)}${two(c.second)}`,
  (c) => `T${two(c.hour)}`,
  (c) => ` ${two(c.hour)}:${two(c.minute)}`,
  (c) => ` ${c.hour % 12 || 12}:${two(c.minute)} ${c.hour < 12 ? 'AM' : 'PM'}`,
  (c) => ` ${c.hour % 12 || 12}:${two(c.minute)}:${two(c.second)}${c.hour < 12 ? 'am' : 'pm'}`,
  (c) => ` ${two(c.hour)}:${two(c.minute)}:${two(c.second)}.${String(c.millisecond).padStart(3, '0')}`,
  (c) => `T${two(c.hour)}:${two(c.minute)}:${two(c.second)}.${String(c.millisecond).padStart(3, '0')}`,
  (c) => `T${two(c.hour)}:${two(c.minute)}:${two(c.second)},${String(c.millisecond).padStart(3, '0')}`,
];
const ZONE_FORMS = ['', '', '', 'Z', '+00:00', '-05:00', '+0530', '+02', ' GMT', ' UTC', ' EST', ' PDT', ' +0200', ' GMT+0100', ' (CET)', ' CET', '[Europe/Berlin]', ' America/New_York'];
const ODD_DATES = ['', 'now', 'today', 'tomorrow', 'Monday', '12', '0', '1', '99', '1700000000', '1700000000000', '2024-02-30', '2023-02-29', '2024-13-01', '2024-00-10', '24:00', '10:30', '2024-01-01T24:00:00', '2024-01-01T25:00', '2024-01-01 10:61', 'P1D', '2024-06-31', '+002024-01-01T00:00:00Z', '-000001-01-01', '31 Feb 2024', 'abc 12', 'Room 101', 'hi', '2024-1', '1/2', '5 o clock', '2024-05-06T07:08:09.123456789Z', '2024-05-06T07:08:09.1Z', '20240506T070809Z', 'Mon, 06 May 2024 07:08:09 GMT', 'Monday, 06-May-24 07:08:09 GMT', 'Mon May  6 07:08:09 2024', '2024-05-06T07:08:09 +02:00', ' 2024-05-06 ', '2024-05-06T', 'May 2024', '6 May', 'May 6', '2024 May 6', '06May2024', 'Sept 5, 2024', '1st January 2024', 'January 1st, 2024', '2024年5月6日'];

/** A text that may be a date. */
export function dateText(random) {
  if (random.chance(0.3)) return isoText(random);
  if (random.chance(0.25)) return random.pick(ODD_DATES);
  const found = clock(random);
  return random.pick(DATE_FORMS)(found) + random.pick(TIME_FORMS)(found) + random.pick(ZONE_FORMS);
}
export { OFFSETS };

export const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'utc', 'local', 'UTC+3', 'Nowhere/City', 'Etc/GMT+5', 'EST', 'europe/berlin'];
export const UNITS = ['day', 'days', 'week', 'weeks', 'month', 'months', 'year', 'years', 'hour', 'hours', 'minute', 'minutes', 'second', 'seconds', 'millisecond', 'milliseconds', 'quarter', 'quarters'];
export const ODD_UNITS = ['', 'd', 'M', 'Day', 'DAYS', 'fortnight', 'decade', 'century', 'weekday', 'dayOfWeek', 'yearDayNumber', 'weekNumber', 'weekYear', 'ordinal', 'h', 'ms', 'mins', 'yearday'];
export const unit = (random) => random.pick(random.chance(0.85) ? UNITS : ODD_UNITS);

const NUMBERS = ['0', '-0', '1', '-1', '2', '3', '7', '10', '100', '1234567.891', '0.1', '0.5', '1.5', '2.5', '-1.5', '1e21', '1e-7', '123456789012345680000', 'NaN', 'Infinity', '-Infinity', '9007199254740991', '0.30000000000000004', '1700000000', '1700000000000', '45000', '1.005', '-2.345'];
export const number = (random) => (random.chance(0.3) ? String(random.between(-1000, 1000) / random.pick([1, 1, 10, 100, 3])) : random.pick(NUMBERS));
export const whole = (random) => String(random.pick([0, 1, 2, 3, 5, 10, -1, -2, 12, 30, 100]));

export const jsDate = (random) => (random.chance(0.05) ? "new Date('nonsense')" : `new Date(${quoted(isoText(random))})`);
export const luxonDate = (random) =>
  random.one([
    (r) => `DateTime.fromISO(${quoted(isoText(r))})`,
    (r) => `DateTime.fromISO(${quoted(isoText(r))}, { zone: ${quoted(r.pick(ZONES.slice(0, 6)))} })`,
    (r) => `DateTime.fromMillis(${r.pick(['0', '1700000000000', '1710054000000', '1730610000000', '946684800000'])})`,
    (r) => `DateTime.utc(2024, ${r.between(1, 12)}, ${r.between(1, 28)}, ${r.below(24)})`,
    (r) => `DateTime.local(2024, ${r.pick([3, 11, 6])}, ${r.between(1, 28)}, ${r.below(24)}, 30)`,
    () => '$now', () => '$today',
    (r) => `${quoted(isoText(r))}.toDateTime()`,
  ]);

const KEYS = ['a', 'b', 'id', 'name', 'Value', '1', 'x y', 'é', 'length', 'toString', 'nested'];
export const key = (random) => random.pick(KEYS);
export const scalar = (random) => random.one([number, number, (r) => quoted(word(r)), (r) => quoted(word(r)), (r) => r.pick(['true', 'false', 'null', 'undefined', "''", "'nil'"])]);
export const list = (random, depth = 1) => `[${random.times(0, 5, () => (depth > 0 && random.chance(0.25) ? data(random, depth - 1) : scalar(random))).join(', ')}]`;
export const numbers = (random) => `[${random.times(0, 6, () => (random.chance(0.9) ? number(random) : scalar(random))).join(', ')}]`;
export const object = (random, depth = 1) => `({ ${random.times(0, 4, () => `${quoted(key(random))}: ${depth > 0 && random.chance(0.25) ? data(random, depth - 1) : scalar(random)}`).join(', ')} })`;
export const objects = (random) => `[${random.times(0, 4, () => (random.chance(0.9) ? object(random, 1) : scalar(random))).join(', ')}]`;
export const data = (random, depth = 1) => random.one([(r) => list(r, depth), (r) => object(r, depth)]);
export const textSource = (random) => quoted(text(random));

/** Any value at all. */
export const any = (random) => random.one([scalar, textSource, number, (r) => r.pick(['true', 'false']), () => 'null', () => 'undefined', list, object, objects, jsDate, luxonDate]);

/** The same value, at times as data of the input item. */
export function placed(random, source) {
  if (random.chance(0.5)) return { source: /^[-\d]/.test(source) ? `(${source})` : source };
  try {
    // Only what JSON can say comes in as data.
    const value = JSON.parse(source.replace(/^\((.*)\)$/s, '$1'));
    return { source: '$json.value', items: [{ json: { value } }] };
  } catch {
    return { source: /^[-\d]/.test(source) ? `(${source})` : source };
  }
}
