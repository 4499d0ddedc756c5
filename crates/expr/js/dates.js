// Luxon in the guest: zones from the host, names for expressions, and texts read as dates.

const { hide, host, ExpressionExtensionError, revivers, entries } = heddle;
const { DateTime, Interval, Duration, Settings, IANAZone, FixedOffsetZone, Zone } = heddle.luxon;

hide(globalThis, 'DateTime', DateTime);
hide(globalThis, 'Interval', Interval);
hide(globalThis, 'Duration', Duration);

// Texts are read as V8 reads them.
const PlainDate = Date;
const { construct } = Reflect;
const parse = (text) => host(42, String(text));
const instant = (value) => (typeof value === 'string' ? parse(value) : value);
function ReadingDate(first, ...rest) {
  if (new.target === undefined) return PlainDate();
  if (new.target !== ReadingDate) return construct(PlainDate, arguments.length === 1 ? [instant(first)] : arguments, new.target);
  if (arguments.length === 0) return new PlainDate();
  return arguments.length === 1 ? new PlainDate(instant(first)) : new PlainDate(first, ...rest);
}
hide(ReadingDate, 'name', 'Date');
hide(ReadingDate, 'length', 7);
for (const name of ['now', 'UTC']) hide(ReadingDate, name, PlainDate[name]);
hide(ReadingDate, 'parse', parse);
hide(PlainDate.prototype, 'constructor', ReadingDate);
heddle.original.defineProperty(ReadingDate, 'prototype', { value: PlainDate.prototype, writable: false });
hide(globalThis, 'Date', ReadingDate);
heddle.natives.add(ReadingDate).add(parse);

// Luxon would ask Intl.DateTimeFormat and take its text apart.
IANAZone.isValidZone = (zone) => heddle.isZone(zone);
hide(IANAZone.prototype, 'offset', function offset(time) {
  if (!this.valid || time !== time) return NaN;
  if (this.name.toUpperCase() === 'UTC') return 0;
  const period = heddle.zoneOffset(this.name, time);
  return period === undefined ? NaN : period[0];
});

Settings.defaultLocale = 'en-US';
entries.setZone = (zone) => {
  Settings.defaultZone = heddle.isZone(zone) ? IANAZone.create(zone) : zone;
};

// Luxon reads ISO texts with large regular expressions, which take long in an interpreter. The usual forms have a way of their
// own to the same result; everything else goes to Luxon.
const luxonFromISO = DateTime.fromISO;
const USUAL = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?(Z|[+-]\d\d:\d\d)?)?$/;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const NO_OPTIONS = Object.freeze({});
const localToTime = (local, zone) => {
  let offset = zone.offset(Date.now());
  let guess = local - offset * 60000;
  const second = zone.offset(guess);
  if (offset === second) return guess;
  guess -= (second - offset) * 60000;
  offset = zone.offset(guess);
  return second === offset ? guess : local - Math.min(second, offset) * 60000;
};
DateTime.fromISO = (text, options = NO_OPTIONS) => {
  const found = typeof text === 'string' ? USUAL.exec(text) : null;
  const zone = options.zone === undefined ? Settings.defaultZone : options.zone;
  if (found === null || !(zone instanceof Zone) || !zone.isValid) return luxonFromISO.call(DateTime, text, options);
  const [, yearText, monthText, dayText, hourText = '0', minuteText = '0', secondText = '0', fraction = '', mark] = found;
  const [year, month, day, hour, minute, second] = [+yearText, +monthText, +dayText, +hourText, +minuteText, +secondText];
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  if (year < 100 || month < 1 || month > 12 || day < 1 || day > MONTH_DAYS[month - 1] + leap || hour > 23 || minute > 59 || second > 59) {
    return luxonFromISO.call(DateTime, text, options);
  }
  const local = Date.UTC(year, month - 1, day, hour, minute, second, +fraction.padEnd(3, '0'));
  if (mark === undefined) return DateTime.fromMillis(localToTime(local, zone), { ...options, zone });
  const offset = mark === 'Z' ? 0 : (mark[0] === '-' ? -1 : 1) * (+mark.slice(1, 3) * 60 + +mark.slice(4, 6));
  const shown = options.setZone ? FixedOffsetZone.instance(offset) : zone;
  return DateTime.fromMillis(local - offset * 60000, { ...options, zone: shown });
};

revivers.luxon = (iso) => DateTime.fromISO(iso, { setZone: true });

// Its errors look up how prototypes are set when the first of their kind is made. Later that is refused.
for (const fails of [() => DateTime.now().plus({ unit: 1 }), () => DateTime.now().plus('x'), () => DateTime.fromObject('x')]) {
  try {
    fails();
  } catch {
    // That it fails is the point.
  }
}

/** A date from what people write: ISO, HTTP, RFC 2822, SQL, then whatever Date.parse takes. Undefined if it is none. */
heddle.readDateTime = (value, zone) => {
  if (DateTime.isDateTime(value)) return value;
  if (value instanceof Date) return DateTime.fromJSDate(value);
  if (typeof value === 'number') return DateTime.fromMillis(value);
  const text = String(value).trim();
  const options = zone ? { zone } : { setZone: true };
  for (const read of ['fromISO', 'fromHTTP', 'fromRFC2822', 'fromSQL']) {
    const date = DateTime[read](text, options);
    if (date.isValid) return date;
  }
  const date = DateTime.fromMillis(Date.parse(text) || NaN, zone ? { zone } : {});
  return date.isValid ? date : undefined;
};

/** The same, or an error. */
heddle.parseDateTime = (value, zone) => {
  const date = heddle.readDateTime(value, zone);
  if (date === undefined) throw new ExpressionExtensionError('cannot convert to Luxon DateTime');
  return date;
};

/** A number as a date, counted the way the format says. */
heddle.numberToDateTime = (value, format = 'ms') => {
  switch (format) {
    case 's':
      return DateTime.fromSeconds(value);
    case 'us':
      return DateTime.fromMillis(value / 1000);
    case 'ms':
      return DateTime.fromMillis(value);
    case 'excel': // Days since the last day of 1899, with a leap day in 1900 that never was.
      return DateTime.fromMillis(Math.round((value - 25569) * 86400 * 1000));
    default:
      throw new ExpressionExtensionError(`toDateTime() does not know the format '${format}'; it knows 'ms', 's', 'us' and 'excel'`);
  }
};
