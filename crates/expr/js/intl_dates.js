// Intl.DateTimeFormat and the toLocale… methods of Date. Zones come from the host.

const { findLanguage, supportedLocales, host, Intl, callable, hide } = heddle;

// An answer of the host holds for a whole period between two changes of the clock.
const periods = new Map();
/** Minutes east of Greenwich; undefined for a zone that does not exist. */
heddle.zoneOffset = (zone, time) => {
  let known = periods.get(zone);
  if (known === undefined) periods.set(zone, (known = []));
  for (let i = 0; i < known.length; i++) {
    const period = known[i];
    if (time >= period[1] && time < period[2]) return period;
  }
  const period = host(32, zone, time);
  if (period === undefined) return undefined;
  if (known.length > 20) known.length = 0;
  known.push(period);
  return period;
};
heddle.isZone = (zone) => {
  if (typeof zone !== 'string' || zone === '') return false;
  if (zone.toUpperCase() === 'UTC' || periods.has(zone)) return true;
  const period = host(32, zone, 0);
  if (period === undefined) return false;
  periods.set(zone, [period]);
  return true;
};

const FIXED = /^(?:UTC|GMT)?([+-])(\d{1,2}):?(\d{2})?$/;
function offsetOf(zone, time) {
  if (zone === 'UTC') return 0;
  const fixed = FIXED.exec(zone);
  if (fixed) return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3] || 0));
  return heddle.zoneOffset(zone, time)[0];
}
const two = (number) => String(number).padStart(2, '0');

const DATE_STYLES = {
  full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  long: { year: 'numeric', month: 'long', day: 'numeric' },
  medium: { year: 'numeric', month: 'short', day: 'numeric' },
  short: { year: '2-digit', month: 'numeric', day: 'numeric' },
};
const TIME_STYLES = {
  full: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'long' },
  long: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
  medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
  short: { hour: 'numeric', minute: '2-digit' },
};
const DATE_FIELDS = ['weekday', 'year', 'month', 'day', 'era'];
const TIME_FIELDS = ['hour', 'minute', 'second', 'fractionalSecondDigits', 'dayPeriod'];

class DateTimeFormat {
  #data;
  #options;
  #locale;
  constructor(locales, options = {}, defaults = 'date') {
    const { locale, data } = findLanguage(locales);
    const given = { ...options };
    if (given.timeZone !== undefined && !heddle.isZone(String(given.timeZone)) && !FIXED.test(given.timeZone)) {
      throw new RangeError(`Invalid time zone specified: ${given.timeZone}`);
    }
    if (given.dateStyle) Object.assign(given, DATE_STYLES[given.dateStyle]);
    if (given.timeStyle) Object.assign(given, TIME_STYLES[given.timeStyle]);
    const hasDate = DATE_FIELDS.some((field) => given[field] !== undefined);
    const hasTime = TIME_FIELDS.some((field) => given[field] !== undefined);
    // What the caller's method implies is added when it names no part of that kind.
    if (defaults === 'both' ? !hasDate && !hasTime : defaults === 'date' ? !hasDate && !hasTime : !hasDate && defaults === 'dateOnly') {
      Object.assign(given, { year: 'numeric', month: 'numeric', day: 'numeric' });
    }
    if ((defaults === 'both' && !hasDate && !hasTime) || (defaults === 'timeOnly' && !hasTime)) {
      Object.assign(given, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
    }
    let hour12 = data.hour12;
    if (given.hourCycle !== undefined) hour12 = given.hourCycle === 'h11' || given.hourCycle === 'h12';
    if (given.hour12 !== undefined) hour12 = Boolean(given.hour12);
    this.#locale = locale;
    this.#data = data;
    this.#options = { ...given, hour12, timeZone: given.timeZone === undefined ? 'UTC' : String(given.timeZone) };
    this.format = (value) => this.formatToParts(value).map((part) => part.value).join('');
  }
  resolvedOptions() {
    const { timeZone, hour12, year, month, day, weekday, hour, minute, second } = this.#options;
    return {
      locale: this.#locale, calendar: 'gregory', numberingSystem: 'latn', timeZone, year, month, day, weekday, hour, minute, second,
      ...(hour === undefined ? {} : { hour12, hourCycle: hour12 ? 'h12' : 'h23' }),
    };
  }
  formatToParts(value) {
    const time = value === undefined ? Date.now() : Number(value);
    if (!(Math.abs(time) <= 8.64e15)) throw new RangeError('Invalid time value');
    const options = this.#options;
    const offset = offsetOf(options.timeZone, time);
    const local = new Date(time + offset * 60000);
    const date = this.#dateParts(local);
    const clock = this.#timeParts(local, time, offset);
    if (date.length === 0) return clock;
    if (clock.length === 0) return date;
    const long = options.dateStyle === 'full' || options.dateStyle === 'long' || (options.dateStyle === undefined && options.month === 'long');
    const { join, longJoin, textJoin, styleJoin } = this.#data;
    const named = options.month === 'short' || options.month === 'long';
    const between = long ? (options.dateStyle && styleJoin) || longJoin : named && textJoin ? textJoin : join;
    return [...date, { type: 'literal', value: between }, ...clock];
  }
  #dateParts(local) {
    const { year, month, day, weekday, era, dateStyle } = this.#options;
    const data = this.#data;
    const value = {};
    if (year !== undefined) value.year = year === '2-digit' ? two(local.getUTCFullYear() % 100) : String(Math.abs(local.getUTCFullYear() || 0));
    if (day !== undefined) value.day = day === '2-digit' ? two(local.getUTCDate()) : String(local.getUTCDate());
    if (weekday !== undefined) {
      const name = (weekday === 'long' ? data.days : data.daysShort)[local.getUTCDay()];
      value.weekday = weekday === 'narrow' ? name[0].toUpperCase() : name;
    }
    const number = local.getUTCMonth() + 1;
    const named = (month === 'long' || month === 'short' || month === 'narrow') && !(dateStyle === 'medium' && data.medium);
    if (month !== undefined) {
      value.month = !named && month === 'short' ? String(number) : month === 'long' ? data.months[number - 1] : month === 'short' ? data.monthsShort[number - 1] : month === 'narrow' ? data.months[number - 1][0].toUpperCase() : month === '2-digit' ? two(number) : String(number);
    }
    let parts = [];
    if (named && (value.day !== undefined || value.year !== undefined || value.weekday !== undefined)) {
      const key = `${value.weekday ? 'w' : ''}M${value.day ? 'D' : ''}${value.year ? 'Y' : ''}`;
      const pattern = (month === 'short' && data.textShort && data.textShort[key]) || data.text[key] || data.text[key.replace('w', '')] || '{M}';
      parts = fill(pattern, { w: ['weekday', value.weekday], M: ['month', value.month], D: ['day', value.day], Y: ['year', value.year] });
    } else if (named) {
      parts = [{ type: 'month', value: value.month }];
    } else {
      const monthAndDay = value.year === undefined && value.month !== undefined && value.day !== undefined;
      const pattern = (dateStyle && data[dateStyle]) || (monthAndDay && data.monthDay) || data.numeric;
      const order = pattern.match(/YY?|MM?|DD?|[^YMD]/g);
      const separator = order.find((piece) => /[^YMD]/.test(piece));
      const alone = [value.year, value.month, value.day].filter((part) => part !== undefined).length === 1;
      for (const piece of order) {
        const field = piece[0] === 'Y' ? 'year' : piece[0] === 'M' ? 'month' : piece[0] === 'D' ? 'day' : undefined;
        if (!field || value[field] === undefined) continue;
        if (parts.length) parts.push({ type: 'literal', value: separator });
        const wide = (piece === 'MM' || piece === 'DD') && !alone;
        const styled = dateStyle && field === 'year' ? (piece === 'YY' ? two(local.getUTCFullYear() % 100) : String(local.getUTCFullYear())) : value[field];
        parts.push({ type: field, value: wide ? styled.padStart(2, '0') : styled });
      }
      if (monthAndDay && data.monthDayEnd) parts.push({ type: 'literal', value: data.monthDayEnd });
      if (value.weekday) parts = parts.length ? [{ type: 'weekday', value: value.weekday }, { type: 'literal', value: ', ' }, ...parts] : [{ type: 'weekday', value: value.weekday }];
    }
    if (era !== undefined) parts.push({ type: 'literal', value: ' ' }, { type: 'era', value: local.getUTCFullYear() > 0 ? 'AD' : 'BC' });
    return parts;
  }
  #timeParts(local, time, offset) {
    const { hour, minute, second, hour12, hourCycle, fractionalSecondDigits, timeZoneName, timeZone } = this.#options;
    const parts = [];
    const add = (type, value) => {
      if (parts.length) parts.push({ type: 'literal', value: type === 'fractionalSecond' ? '.' : ':' });
      parts.push({ type, value });
    };
    if (hour !== undefined) {
      const raw = local.getUTCHours();
      const shown = hour12 ? raw % 12 || 12 : hourCycle === 'h24' && raw === 0 ? 24 : raw;
      add('hour', hour === '2-digit' || (!hour12 && (minute !== undefined || hour === '2-digit')) ? two(shown) : String(shown));
    }
    if (minute !== undefined) add('minute', hour !== undefined || second !== undefined || minute === '2-digit' ? two(local.getUTCMinutes()) : String(local.getUTCMinutes()));
    if (second !== undefined) add('second', minute !== undefined || second === '2-digit' ? two(local.getUTCSeconds()) : String(local.getUTCSeconds()));
    if (fractionalSecondDigits) add('fractionalSecond', String(local.getUTCMilliseconds()).padStart(3, '0').slice(0, fractionalSecondDigits));
    if (hour !== undefined && hour12) {
      parts.push({ type: 'literal', value: ' ' }, { type: 'dayPeriod', value: local.getUTCHours() < 12 ? this.#data.am : this.#data.pm });
    }
    if (parts.length === 1 && hour !== undefined && !hour12 && this.#data.hourOnly) parts.push({ type: 'literal', value: this.#data.hourOnly });
    if (timeZoneName !== undefined) {
      if (parts.length) parts.push({ type: 'literal', value: ' ' });
      parts.push({ type: 'timeZoneName', value: zoneName(timeZone, time, offset, timeZoneName, this.#data) });
    }
    return parts;
  }
  formatRange(start, end) {
    return `${this.format(start)} – ${this.format(end)}`;
  }
  static supportedLocalesOf(locales) {
    return supportedLocales(locales);
  }
}
Intl.DateTimeFormat = callable(DateTimeFormat);

function fill(pattern, fields) {
  return pattern
    .split(/(\{\w\})/)
    .filter((piece) => piece !== '')
    .map((piece) => (fields[piece[1]] && piece[0] === '{' ? { type: fields[piece[1]][0], value: fields[piece[1]][1] } : { type: 'literal', value: piece }));
}

const LONG_ZONES = { E: 'Eastern', C: 'Central', M: 'Mountain', P: 'Pacific' };
function zoneName(zone, time, offset, form, data) {
  if (zone === 'UTC') return form === 'long' ? 'Coordinated Universal Time' : 'UTC';
  const period = heddle.zoneOffset(zone, time);
  // Names of zones begin in 1970.
  const abbreviation = period && time >= 0 ? period[3] : '';
  const american = /^[ECMP][SD]T$/.test(abbreviation);
  if (form === 'long' && american) return `${LONG_ZONES[abbreviation[0]]} ${abbreviation[1] === 'D' ? 'Daylight' : 'Standard'} Time`;
  if (form === 'short' && american) return abbreviation;
  if (form === 'short' && data.zoneNames && /^(CET|CEST|WET|WEST|EET|EEST|GMT|BST)$/.test(abbreviation)) return data.zoneNames[abbreviation] || abbreviation;
  const size = Math.abs(offset);
  const hours = Math.floor(size / 60);
  const distance = form === 'long' ? `${two(hours)}:${two(size % 60)}` : `${hours}${size % 60 ? `:${two(size % 60)}` : ''}`;
  return offset === 0 ? 'GMT' : `${data.zonePrefix || 'GMT'}${offset < 0 ? '-' : '+'}${distance}`;
}

// Date lives in UTC, and says so as Node does.
for (const name of ['toString', 'toTimeString']) {
  const original = Date.prototype[name];
  hide(Date.prototype, name, function () {
    const text = original.call(this);
    return text.endsWith('GMT+0000') ? `${text} (Coordinated Universal Time)` : text;
  });
}
for (const [name, defaults] of [['toLocaleString', 'both'], ['toLocaleDateString', 'dateOnly'], ['toLocaleTimeString', 'timeOnly']]) {
  hide(Date.prototype, name, function (locales, options) {
    const time = Date.prototype.getTime.call(this);
    return time === time ? new DateTimeFormat(locales, options, defaults).format(time) : 'Invalid Date';
  });
}
for (const target of [Array.prototype]) {
  hide(target, 'toLocaleString', function (...args) {
    return Array.prototype.map.call(this, (value) => (value === null || value === undefined ? '' : value.toLocaleString(...args))).join(',');
  });
}
