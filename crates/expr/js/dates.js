// Luxon in the guest: zones from the host, names for expressions, and texts read as dates.

const { hide, host, ExpressionExtensionError, revivers, entries } = heddle;
const { DateTime, Interval, Duration, Settings, IANAZone } = heddle.luxon;

hide(globalThis, 'DateTime', DateTime);
hide(globalThis, 'Interval', Interval);
hide(globalThis, 'Duration', Duration);

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
  Settings.defaultZone = zone;
};

revivers.luxon = (iso) => DateTime.fromISO(iso, { setZone: true });

/** A date from what people write: ISO, HTTP, RFC 2822, SQL, then whatever Date.parse takes. */
heddle.parseDateTime = (value, zone) => {
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
  if (date.isValid) return date;
  throw new ExpressionExtensionError('cannot convert to Luxon DateTime');
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
      throw new ExpressionExtensionError(`Unsupported format '${format}'. toDateTime() supports 'ms', 's', 'us' and 'excel'.`);
  }
};
