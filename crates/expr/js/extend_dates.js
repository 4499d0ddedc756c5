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

const UNITS = { week: 'weekNumber', weekday: 'weekday', dayofweek: 'weekday', yeardaynumber: 'ordinal' };
const singular = (unit) => {
  const name = String(unit);
  const map = { milliseconds: 'millisecond', seconds: 'second', minutes: 'minute', hours: 'hour', days: 'day', weeks: 'week', months: 'month', quarters: 'quarter', years: 'year', ms: 'millisecond', s: 'second', m: 'minute', h: 'hour', d: 'day', w: 'week', M: 'month', y: 'year' };
  return map[name] || name;
};
const duration = (amount, unit) => (amount !== null && typeof amount === 'object' ? amount : unit === undefined ? amount : { [`${singular(unit)}s`]: amount });

date.plus = (value, [amount, unit]) => like(value, luxon(value).plus(duration(amount, unit)));
date.minus = (value, [amount, unit]) => like(value, luxon(value).minus(duration(amount, unit)));
date.startOf = (value, [unit = 'week', options]) => like(value, luxon(value).startOf(singular(unit), options));
date.beginningOf = date.startOf;
date.endOfMonth = (value) => like(value, luxon(value).endOf('month'));
date.extract = (value, [part = 'week']) => {
  const name = singular(part);
  return luxon(value).get(UNITS[name.toLowerCase()] || name);
};
date.format = (value, [format]) => luxon(value).toFormat(format === undefined ? 'yyyy-MM-dd' : format);
date.isWeekend = (value) => luxon(value).weekday > 5;
date.isDst = (value) => luxon(value).isInDST;
date.isInLast = (value, [amount = 0, unit = 'minutes']) => {
  const now = DateTime.now();
  const at = luxon(value);
  return now.minus({ [`${singular(unit)}s`]: amount }) <= at && at <= now;
};
date.isBetween = (value, args) => {
  if (args.length !== 2) fail('isBetween() needs two dates');
  const [first, second] = args.map((arg) => {
    if (typeof arg !== 'string' && !(arg instanceof Date) && !DateTime.isDateTime(arg)) fail('isBetween() needs dates, or texts that are dates');
    return parseDateTime(arg);
  });
  const at = luxon(value).toMillis();
  const [from, until] = [first.toMillis(), second.toMillis()].sort((a, b) => a - b);
  return at > from && at < until;
};
date.inBetween = date.isBetween;
date.diffTo = (value, [other, units = 'days']) => {
  const wanted = (Array.isArray(units) ? units : [units]).map((unit) => `${singular(unit)}s`);
  const difference = luxon(value).diff(other === undefined ? DateTime.now() : parseDateTime(other), wanted);
  return Array.isArray(units) ? difference.toObject() : difference.as(wanted[0]);
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
