// Extension functions of dates: of JavaScript's Date and of Luxon's DateTime alike.

const { ExpressionExtensionError, parseDateTime, host } = heddle;
const { Date: date } = heddle.extensions;
const { DateTime, Duration } = heddle.luxon;
const fail = (message) => {
  throw new ExpressionExtensionError(message);
};

const luxon = (value) => (DateTime.isDateTime(value) ? value : DateTime.fromJSDate(value));
/** What was a Date comes back as a Date. */
const like = (value, result) => (DateTime.isDateTime(value) ? result : result.toJSDate());

const singular = (unit) => {
  const name = String(unit);
  const map = { milliseconds: 'millisecond', seconds: 'second', minutes: 'minute', hours: 'hour', days: 'day', weeks: 'week', months: 'month', quarters: 'quarter', years: 'year', ms: 'millisecond', mins: 'minute' };
  return map[name] || name;
};
const duration = (amount, unit) => (amount !== null && typeof amount === 'object' ? amount : unit === undefined ? amount : { [`${singular(String(unit).toLowerCase())}s`]: amount });

date.plus = (value, [amount = 0, unit]) => like(value, luxon(value).plus(duration(amount, unit)));
date.minus = (value, [amount = 0, unit]) => like(value, luxon(value).minus(duration(amount, unit)));
date.startOf = (value, [unit = 'week', options]) => like(value, luxon(value).startOf(singular(unit), options));
date.beginningOf = date.startOf;
date.endOfMonth = (value) => like(value, luxon(value).endOf('month'));
date.extract = (value, [part = 'week']) => {
  const at = luxon(value);
  if (part === 'week') return at.weekNumber;
  // Counted by the clock of the process, which is in UTC.
  if (part === 'yearDayNumber') return at.toUTC().ordinal;
  return part === 'weeks' || part === 'quarters' ? undefined : at.get(singular(part));
};
date.format = (value, [format]) => luxon(value).toFormat(format === undefined ? 'yyyy-MM-dd' : format);
date.isWeekend = (value) => luxon(value).weekday > 5;
date.isDst = (value) => luxon(value).isInDST;
date.isInLast = (value, [amount = 0, unit = 'minutes']) => {
  const now = DateTime.now();
  const at = luxon(value);
  return now.minus({ [`${singular(String(unit).toLowerCase())}s`]: amount }) <= at && at <= now;
};
/** A date of an argument; what is none throws an error that makes the expression's value undefined. */
const instant = (value) => {
  const time = typeof value === 'string' ? Date.parse(value) : value instanceof Date || DateTime.isDateTime(value) ? value.valueOf() : NaN;
  if (time !== time) throw new TypeError('the argument is no date');
  return time;
};
date.isBetween = (value, args) => {
  if (args.length !== 2) fail('isBetween() needs two dates');
  const at = luxon(value).toMillis();
  const [from, until] = args.map(instant).sort((a, b) => a - b);
  return at > from && at < until;
};
date.inBetween = date.isBetween;
const DIFFERENCES = ['milliseconds', 'seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'quarters', 'years'];
// Known, and yet nothing that a difference has.
const NO_DIFFERENCES = ['', 'weekday', 'weekNumber', 'yearDayNumber'];
const differenceUnit = (unit) => {
  const name = DIFFERENCES.includes(unit) ? unit : unit === 'quarter' ? undefined : `${unit}s`;
  if (NO_DIFFERENCES.includes(unit)) throw new TypeError(`there is no difference in '${unit}'`);
  return DIFFERENCES.includes(name) ? name : fail(`diffTo() does not know the unit '${unit}'; it knows ${DIFFERENCES.join(', ')}`);
};
date.diffTo = (value, [other, units = 'days']) => {
  const isDate = typeof other === 'string' || other instanceof Date || DateTime.isDateTime(other);
  if (!isDate) return Array.isArray(units) && units.length > 1 ? {} : NaN;
  const wanted = Array.isArray(units) ? [...new Set(units.map(differenceUnit))] : [differenceUnit(units)];
  if (wanted.length === 0) wanted.push('days');
  const difference = luxon(value).diff(parseDateTime(other), wanted);
  return Array.isArray(units) && units.length > 1 ? difference.toObject() : difference.as(wanted[0]);
};
date.diffToNow = (value, [units]) => date.diffTo(value, [DateTime.now(), units]);
date.toDateTime = (value) => luxon(value);
date.toDate = (value) => (DateTime.isDateTime(value) ? value.toJSDate() : value);
date.toInt = (value) => luxon(value).toMillis();
date.toWholeNumber = date.toInt;
date.toFloat = date.toInt;
date.toDecimalNumber = date.toInt;
date.toNumber = date.toInt;
date.toBoolean = () => undefined;
date.toTimeFromNow = (value) => luxon(value).toRelative();
date.isEmpty = () => false;
date.isNotEmpty = () => true;
date.toJsonString = (value) => JSON.stringify(value);
