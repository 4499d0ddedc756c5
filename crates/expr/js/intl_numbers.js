// Intl.NumberFormat and its relatives, for the languages of intl_data.js.

const { findLanguage, supportedLocales } = heddle;
const Intl = {};
heddle.Intl = Intl;
heddle.hide(globalThis, 'Intl', Intl);

const SYMBOLS = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', BRL: 'R$', KRW: '₩', CNY: 'CN¥', ILS: '₪', VND: '₫', CAD: 'CA$', AUD: 'A$', MXN: 'MX$' };
const NO_DECIMALS = new Set(['JPY', 'KRW', 'VND', 'CLP', 'ISK']);

/** Rounds half away from zero on the decimal text, as Intl does. */
function roundText(number, digits) {
  const text = Math.abs(number).toFixed(Math.min(digits + 5, 100));
  let result = Math.abs(number).toFixed(digits);
  const tail = text.slice(text.length - 5);
  if (tail.startsWith('5') && /^50*$/.test(tail) && Number(result) < Math.abs(number)) {
    result = (Math.abs(number) + 10 ** -digits / 2).toFixed(digits);
  }
  return result;
}

function group(text, data, use) {
  if (use === false || text.length < (data.groupFrom || 4)) return text;
  const every = data.indian ? /\B(?=(\d{2})*\d{3}$)(?<!^\d{0})(?=\d)/g : /\B(?=(\d{3})+$)/g;
  if (!data.indian) return text.replace(every, data.group);
  const last = text.slice(-3);
  return text.slice(0, -3).replace(/\B(?=(\d{2})+$)/g, data.group) + data.group + last;
}

/** A large number without exponent: its significant digits, then zeros. */
function plain(number) {
  const [digits, exponent] = number.toExponential().split('e+');
  const [whole, fraction = ''] = digits.split('.');
  return (whole + fraction).padEnd(Number(exponent) + 1, '0');
}

class NumberFormat {
  #data;
  #options;
  #locale;
  constructor(locales, options = {}) {
    const { locale, data } = findLanguage(locales);
    this.#locale = locale;
    this.#data = data;
    const style = options.style || 'decimal';
    const currency = options.currency && String(options.currency).toUpperCase();
    if (style === 'currency' && !currency) throw new TypeError('Currency code is required with currency style.');
    const compact = options.notation === 'compact';
    let minimum = style === 'currency' ? (NO_DECIMALS.has(currency) ? 0 : 2) : 0;
    let maximum = style === 'currency' ? minimum : style === 'percent' ? 0 : 3;
    if (options.minimumFractionDigits !== undefined) {
      minimum = Number(options.minimumFractionDigits);
      maximum = Math.max(maximum, minimum);
    }
    if (options.maximumFractionDigits !== undefined) {
      maximum = Number(options.maximumFractionDigits);
      if (options.minimumFractionDigits === undefined) minimum = Math.min(minimum, maximum);
    }
    if (!(minimum >= 0 && minimum <= 100 && maximum >= minimum && maximum <= 100)) throw new RangeError('maximumFractionDigits value is out of range.');
    this.#options = { ...options, style, currency, compact, minimum, maximum };
    this.format = (value) => this.#format(value);
  }
  #digits(number) {
    const { minimum, maximum, maximumSignificantDigits, minimumSignificantDigits, minimumIntegerDigits, useGrouping, compact } = this.#options;
    let text;
    if (maximumSignificantDigits !== undefined || minimumSignificantDigits !== undefined) {
      text = String(Number(Math.abs(number).toPrecision(maximumSignificantDigits || 21)));
      if (text.includes('e')) text = text.includes('e+') ? plain(Number(text)) : Number(text).toFixed(20);
    } else if (compact && this.#options.maximumFractionDigits === undefined) {
      text = Math.abs(number) < 100 ? String(Number(Math.abs(number).toPrecision(2))) : Math.abs(number).toFixed(0);
    } else {
      text = Math.abs(number) >= 2 ** 53 ? plain(Math.abs(number)) : roundText(number, maximum);
    }
    let [whole, fraction = ''] = text.split('.');
    while (fraction.length > minimum && fraction.endsWith('0')) fraction = fraction.slice(0, -1);
    fraction = fraction.padEnd(maximumSignificantDigits === undefined ? minimum : 0, '0');
    if (minimumIntegerDigits) whole = whole.padStart(minimumIntegerDigits, '0');
    const isShort = compact && whole.length < 5;
    return group(whole, this.#data, useGrouping === undefined && isShort ? false : useGrouping) + (fraction ? this.#data.decimal + fraction : '');
  }
  #format(value) {
    const options = this.#options;
    let number = typeof value === 'bigint' ? value : Number(value);
    if (number !== number) return 'NaN';
    const negative = number < 0 || Object.is(number, -0);
    // A hundred times as much in decimal digits, as large numbers lose some in binary ones.
    if (options.style === 'percent') number = Math.abs(Number(number)) < 1e13 ? Number(number) * 100 : Number(`${number}e2`);
    let unit = '';
    if (options.compact) {
      const size = Math.abs(Number(number));
      const names = this.#data.compact;
      const step = [[1e12, names[3]], [1e9, names[2]], [1e6, names[1]], [1e3, names[0]]].find(([from, name]) => size >= from && name !== '');
      if (step) {
        number = Number(number) / step[0];
        unit = step[1];
      }
    }
    const digits = (typeof number === 'number' && !isFinite(number) ? '∞' : this.#digits(typeof number === 'bigint' ? Number(number) : number)) + unit;
    let text = digits;
    if (options.style === 'percent') text = digits + this.#data.percent;
    if (options.style === 'unit' && options.unit === 'quarter') throw new RangeError('Invalid unit argument for Intl.NumberFormat() \'quarter\'');
    if (options.style === 'unit') {
      const name = String(options.unit || '');
      const few = { hour: 'hr', minute: 'min', second: 'sec', day: 'day', month: 'mth', year: 'yr', week: 'wk' };
      const long = options.unitDisplay === 'long' ? name + (digits === '1' ? '' : 's') : options.unitDisplay === 'narrow' ? name[0] : few[name] || name;
      text = options.unitDisplay === 'narrow' ? digits + long : `${digits} ${long}${options.unitDisplay !== 'long' && name === 'day' && digits !== '1' ? 's' : ''}`;
    }
    if (options.style === 'currency') {
      const { symbols, codes } = this.#data;
      const known = options.currencyDisplay === 'code' ? undefined : symbols[options.currency] || (codes && options.currency !== 'EUR' ? undefined : this.#locale === 'en-AU' ? undefined : SYMBOLS[options.currency]);
      const symbol = (/^ja\b/.test(this.#locale) && options.currency === 'JPY' && '￥') || known || options.currency + '\u00a0';
      const order = this.#data.currency;
      text = order === 'after' ? `${digits}\u00a0${symbol.trim()}` : order === 'beforeSpaced' ? `${symbol.trim()}\u00a0${digits}` : symbol + digits;
    }
    const sign = negative && /[1-9∞]/.test(digits) ? '-' : options.signDisplay === 'always' || (options.signDisplay === 'exceptZero' && Number(number) !== 0) ? '+' : negative && options.signDisplay !== 'negative' && options.signDisplay !== 'never' ? '-' : '';
    const shown = options.signDisplay === 'never' ? '' : sign === '-' ? this.#data.minus : sign;
    if (shown && options.style === 'currency' && this.#data.signInside) return text.replace(digits, shown + digits);
    return shown + text;
  }
  formatToParts(value) {
    return [{ type: 'literal', value: this.#format(value) }];
  }
  resolvedOptions() {
    const { style, currency, minimum, maximum } = this.#options;
    return { locale: this.#locale, numberingSystem: 'latn', style, currency, minimumFractionDigits: minimum, maximumFractionDigits: maximum };
  }
  static supportedLocalesOf(locales) {
    return supportedLocales(locales);
  }
}
const callable = (Class) =>
  new Proxy(Class, { apply: (target, receiver, args) => new target(...args) });
heddle.callable = callable;
Intl.NumberFormat = callable(NumberFormat);

class PluralRules {
  constructor(locales, options = {}) {
    this.ordinal = options.type === 'ordinal';
  }
  select(number) {
    if (!this.ordinal) return Number(number) === 1 ? 'one' : 'other';
    const tens = number % 100;
    const ones = number % 10;
    if (ones === 1 && tens !== 11) return 'one';
    if (ones === 2 && tens !== 12) return 'two';
    return ones === 3 && tens !== 13 ? 'few' : 'other';
  }
  resolvedOptions() {
    return { locale: 'en-US', type: this.ordinal ? 'ordinal' : 'cardinal' };
  }
}
Intl.PluralRules = callable(PluralRules);

class ListFormat {
  constructor(locales, options = {}) {
    this.word = options.type === 'disjunction' ? 'or' : options.type === 'unit' || options.style === 'narrow' ? '' : 'and';
  }
  format(list) {
    const values = [...list];
    const word = this.word ? ` ${this.word} ` : ', ';
    if (values.length < 3) return values.join(word);
    return `${values.slice(0, -1).join(', ')},${this.word ? ` ${this.word}` : ''} ${values[values.length - 1]}`;
  }
}
Intl.ListFormat = callable(ListFormat);

class RelativeTimeFormat {
  #numeric;
  constructor(locales, options = {}) {
    this.#numeric = options.numeric || 'always';
  }
  format(value, unit) {
    const name = String(unit).replace(/s$/, '');
    const special = { day: { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' } };
    if (this.#numeric === 'auto') {
      const word = special[name] && special[name][value];
      if (word) return word;
      if (value === 0 && name === 'second') return 'now';
      if (value === -1) return `last ${name}`;
      if (value === 0) return `this ${name}`;
      if (value === 1) return `next ${name}`;
    }
    const size = Math.abs(value);
    const text = `${new NumberFormat('en-US').format(size)} ${name}${size === 1 ? '' : 's'}`;
    return value < 0 || Object.is(value, -0) ? `${text} ago` : `in ${text}`;
  }
  formatToParts(value, unit) {
    return [{ type: 'literal', value: this.format(value, unit) }];
  }
}
Intl.RelativeTimeFormat = callable(RelativeTimeFormat);

// Letters first, then accents, then case: close to what ICU's root collation gives for Latin text.
const base = (text) => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '').toLowerCase();
// Signs are not in the order of their codes.
const SIGNS = [...'_-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$'];
const rank = (letter) => {
  const sign = SIGNS.indexOf(letter);
  const code = sign >= 0 ? 64 + sign : letter.codePointAt(0);
  const isLetter = /[\p{L}]/u.test(letter);
  const isDigit = code >= 48 && code <= 57;
  return (isLetter ? 2e7 : isDigit ? 1e7 : 0) + code;
};
function compareLetters(a, b) {
  const one = [...a];
  const two = [...b];
  for (let i = 0; i < one.length && i < two.length; i++) {
    if (one[i] !== two[i]) return rank(one[i]) < rank(two[i]) ? -1 : 1;
  }
  return Math.sign(one.length - two.length);
}
function compareNumeric(a, b) {
  const one = a.match(/\d+|\D+/g) || [];
  const two = b.match(/\d+|\D+/g) || [];
  for (let i = 0; i < one.length && i < two.length; i++) {
    const both = /^\d/.test(one[i]) && /^\d/.test(two[i]);
    const order = both ? Math.sign(Number(one[i]) - Number(two[i])) : compareLetters(one[i], two[i]);
    if (order) return order;
  }
  return Math.sign(one.length - two.length);
}
/** The first letter whose accents differ decides; none comes before any. */
function compareAccents(a, b) {
  const one = a.normalize('NFD').match(/[^\u0300-\u036f][\u0300-\u036f]*/g) || [];
  const two = b.normalize('NFD').match(/[^\u0300-\u036f][\u0300-\u036f]*/g) || [];
  for (let i = 0; i < one.length && i < two.length; i++) {
    const [left, right] = [one[i].slice(1), two[i].slice(1)];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
function compare(first, second, options = {}) {
  const a = String(first);
  const b = String(second);
  const order = options.numeric ? compareNumeric(base(a), base(b)) : compareLetters(base(a), base(b));
  if (order || options.sensitivity === 'base') return order;
  const accents = compareAccents(a, b);
  if (accents || options.sensitivity === 'accent') return accents;
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] !== b[i]) return a[i] === a[i].toLowerCase() ? -1 : 1;
  }
  return Math.sign(a.length - b.length);
}
class Collator {
  constructor(locales, options = {}) {
    this.compare = (a, b) => compare(a, b, options);
  }
  resolvedOptions() {
    return { locale: 'en-US', usage: 'sort', sensitivity: 'variant' };
  }
}
Intl.Collator = callable(Collator);

/** The names themselves are not here. */
class DisplayNames {
  constructor() {
    throw new TypeError('Intl.DisplayNames knows no names here');
  }
}
Intl.DisplayNames = DisplayNames;
heddle.natives.add(DisplayNames);

class Locale {
  constructor(tag) {
    if (typeof tag !== 'string') throw new TypeError('First argument to Intl.Locale constructor can\'t be empty or missing');
    const [language, ...rest] = String(tag).split('-');
    this.baseName = String(tag);
    this.language = language;
    this.region = rest.find((part) => part.length === 2);
  }
  getWeekInfo() {
    return { firstDay: this.region === 'US' ? 7 : 1, minimalDays: this.region === 'US' ? 1 : 4, weekend: [6, 7] };
  }
  toString() {
    return this.baseName;
  }
}
Intl.Locale = callable(Locale);
Intl.getCanonicalLocales = (locales) => (Array.isArray(locales) ? locales : locales === undefined ? [] : [locales]).map(String);
Intl.supportedValuesOf = () => [];

heddle.hide(String.prototype, 'localeCompare', function localeCompare(other, locales, options) {
  return compare(this, other, options);
});
for (const [name, plain, letters] of [['toLocaleUpperCase', 'toUpperCase', { i: 'İ', ı: 'I' }], ['toLocaleLowerCase', 'toLowerCase', { I: 'ı', İ: 'i' }]]) {
  heddle.hide(String.prototype, name, {
    [name](locales) {
      const text = String(this);
      const isTurkish = /^(?:tr|az)\b/i.test(findLanguage(locales).locale);
      return (isTurkish ? text.replace(/[iıIİ]/g, (letter) => letters[letter] || letter) : text)[plain]();
    },
  }[name]);
}
heddle.hide(Number.prototype, 'toLocaleString', function toLocaleString(locales, options) {
  return new NumberFormat(locales, options).format(Number(this));
});
heddle.hide(BigInt.prototype, 'toLocaleString', function toLocaleString(locales, options) {
  return new NumberFormat(locales, options).format(BigInt(this));
});
