// What Intl knows about a handful of languages: names, separators and the order of the parts of a date.

const split = (text) => text.split(' ');
const language = (data) => ({ decimal: ',', group: '.', hour12: false, join: ', ', longJoin: ', ', am: 'AM', pm: 'PM', minus: '-', percent: '%', compact: ['K', 'M', 'B', 'T'], symbols: {}, ...data });

const en = language({
  months: split('January February March April May June July August September October November December'),
  monthsShort: split('Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'),
  days: split('Sunday Monday Tuesday Wednesday Thursday Friday Saturday'),
  daysShort: split('Sun Mon Tue Wed Thu Fri Sat'),
  decimal: '.',
  group: ',',
  hour12: true,
  longJoin: ' at ',
  numeric: 'M/D/Y',
  short: 'M/D/YY',
  text: { wMDY: '{w}, {M} {D}, {Y}', MDY: '{M} {D}, {Y}', MY: '{M} {Y}', MD: '{M} {D}', wMD: '{w}, {M} {D}' },
  currency: 'before',
  relative: { past: '{0} ago', future: 'in {0}', yesterday: 'yesterday', today: 'today', tomorrow: 'tomorrow' },
});
const dayFirst = { wMDY: '{w} {D} {M} {Y}', MDY: '{D} {M} {Y}', MY: '{M} {Y}', MD: '{D} {M}', wMD: '{w} {D} {M}' };
const dayFirstComma = { ...dayFirst, wMDY: '{w}, {D} {M} {Y}', wMD: '{w}, {D} {M}' };
const dayFirstOf = { wMDY: '{w}, {D} de {M} de {Y}', MDY: '{D} de {M} de {Y}', MY: '{M} de {Y}', MD: '{D} de {M}', wMD: '{w}, {D} de {M}' };

const languages = {
  'en-US': en,
  'en-GB': { ...en, hour12: false, numeric: 'DD/MM/Y', short: 'DD/MM/Y', text: dayFirst, textShort: dayFirstComma, am: 'am', pm: 'pm', zoneNames: {}, symbols: { USD: 'US$', JPY: 'JP¥' }, compact: ['K', 'm', 'bn', 'tn'] },
  'en-AU': { ...en, numeric: 'DD/MM/Y', short: 'D/M/YY', text: dayFirst, textShort: dayFirstComma, am: 'am', pm: 'pm', symbols: { AUD: '$' }, codes: true },
  'en-IN': { ...en, numeric: 'D/M/Y', short: 'DD/MM/YY', monthDay: 'DD/MM', text: dayFirstComma, am: 'am', pm: 'pm', indian: true, symbols: { JPY: 'JP¥' } },
  'en-CA': { ...en, numeric: 'Y-MM-DD', short: 'Y-MM-DD', am: 'a.m.', pm: 'p.m.', symbols: { USD: 'US$', JPY: 'JP¥', CAD: '$' } },
  de: language({
    months: split('Januar Februar März April Mai Juni Juli August September Oktober November Dezember'),
    monthsShort: split('Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.'),
    days: split('Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag'),
    daysShort: split('So Mo Di Mi Do Fr Sa'),
    numeric: 'D.M.Y',
    short: 'DD.MM.YY',
    medium: 'DD.MM.Y',
    monthDayEnd: '.',
    hourOnly: ' Uhr',
    percent: '\u00a0%',
    compact: ['', '\u00a0Mio.', '\u00a0Mrd.', '\u00a0Bio.'],
    zoneNames: { CET: 'MEZ', CEST: 'MESZ' },
    textShort: { wMDY: '{w}., {D}. {M} {Y}', wMD: '{w}., {D}. {M}', MDY: '{D}. {M} {Y}', MD: '{D}. {M}', MY: '{M} {Y}' },
    longJoin: ' um ',
    text: { wMDY: '{w}, {D}. {M} {Y}', MDY: '{D}. {M} {Y}', MY: '{M} {Y}', MD: '{D}. {M}', wMD: '{w}, {D}. {M}' },
    currency: 'after',
  }),
  fr: language({
    months: split('janvier février mars avril mai juin juillet août septembre octobre novembre décembre'),
    monthsShort: split('janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.'),
    days: split('dimanche lundi mardi mercredi jeudi vendredi samedi'),
    daysShort: split('dim. lun. mar. mer. jeu. ven. sam.'),
    group: '\u202f',
    numeric: 'DD/MM/Y',
    short: 'DD/MM/Y',
    hourOnly: ' h',
    percent: '\u00a0%',
    compact: ['\u00a0k', '\u00a0M', '\u00a0Md', '\u00a0Bn'],
    symbols: { USD: '$US', JPY: 'JPY', GBP: '£GB', CAD: '$CA', AUD: '$AU' },
    zonePrefix: 'UTC',
    join: ' ',
    textJoin: ', ',
    longJoin: ' à ',
    text: dayFirst,
    currency: 'after',
  }),
  es: language({
    months: split('enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'),
    monthsShort: split('ene feb mar abr may jun jul ago sept oct nov dic'),
    days: split('domingo lunes martes miércoles jueves viernes sábado'),
    daysShort: split('dom lun mar mié jue vie sáb'),
    numeric: 'D/M/Y',
    short: 'D/M/YY',
    text: dayFirstOf,
    textShort: dayFirstComma,
    am: 'a.\u00a0m.',
    pm: 'p.\u00a0m.',
    styleJoin: ' a las ',
    percent: '\u00a0%',
    compact: ['\u00a0mil', '\u00a0M', '000\u00a0M', '\u00a0B'],
    symbols: { USD: 'US$' },
    codes: true,
    zoneNames: {},
    currency: 'after',
    groupFrom: 5,
  }),
  it: language({
    months: split('gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'),
    monthsShort: split('gen feb mar apr mag giu lug ago set ott nov dic'),
    days: split('domenica lunedì martedì mercoledì giovedì venerdì sabato'),
    daysShort: split('dom lun mar mer gio ven sab'),
    numeric: 'DD/MM/Y',
    short: 'DD/MM/YY',
    groupFrom: 5,
    compact: ['', '\u00a0Mln', '\u00a0Mrd', '\u00a0Bln'],
    symbols: { GBP: '£' },
    codes: true,
    zoneNames: {},
    text: dayFirst,
    longJoin: ' alle ore ',
    currency: 'after',
  }),
  pt: language({
    months: split('janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro'),
    monthsShort: split('jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.'),
    days: ['domingo', 'segunda-feira', 'terça-feira', 'quarta-feira', 'quinta-feira', 'sexta-feira', 'sábado'],
    daysShort: split('dom. seg. ter. qua. qui. sex. sáb.'),
    numeric: 'DD/MM/Y',
    short: 'DD/MM/Y',
    compact: ['\u00a0mil', '\u00a0mi', '\u00a0bi', '\u00a0tri'],
    symbols: { USD: 'US$', JPY: 'JP¥' },
    text: dayFirstOf,
    longJoin: ' às ',
    currency: 'beforeSpaced',
  }),
  nl: language({
    months: split('januari februari maart april mei juni juli augustus september oktober november december'),
    monthsShort: split('jan feb mrt apr mei jun jul aug sep okt nov dec'),
    days: split('zondag maandag dinsdag woensdag donderdag vrijdag zaterdag'),
    daysShort: split('zo ma di wo do vr za'),
    numeric: 'D-M-Y',
    short: 'DD-MM-Y',
    am: 'a.m.',
    pm: 'p.m.',
    compact: ['K', '\u00a0mln.', '\u00a0mld.', '\u00a0bln.'],
    symbols: { USD: 'US$', JPY: 'JP¥' },
    signInside: true,
    zoneNames: {},
    text: dayFirst,
    longJoin: ' om ',
    currency: 'beforeSpaced',
  }),
  sv: language({
    months: split('januari februari mars april maj juni juli augusti september oktober november december'),
    monthsShort: split('jan. feb. mars apr. maj juni juli aug. sep. okt. nov. dec.'),
    days: split('söndag måndag tisdag onsdag torsdag fredag lördag'),
    daysShort: split('sön mån tis ons tors fre lör'),
    group: '\u00a0',
    numeric: 'Y-MM-DD',
    short: 'Y-MM-DD',
    monthDay: 'D/M',
    am: 'fm',
    pm: 'em',
    minus: '−',
    percent: '\u00a0%',
    compact: ['\u00a0tn', '\u00a0mn', '\u00a0md', '\u00a0bn'],
    symbols: { USD: 'US$', BRL: 'BR$', SEK: 'kr' },
    codes: true,
    zoneNames: {},
    join: ' ',
    longJoin: ' kl. ',
    text: dayFirst,
    currency: 'after',
  }),
};
languages['fr-CA'] = { ...languages.fr, numeric: 'Y-MM-DD', group: '\u00a0' };
languages['de-CH'] = { ...languages.de, group: '’', decimal: '.', currency: 'beforeSpaced' };
languages['es-MX'] = { ...languages.es, decimal: '.', group: ',', currency: 'before', groupFrom: 4 };
languages['pt-PT'] = { ...languages.pt, numeric: 'DD/MM/Y', group: '\u00a0', currency: 'after' };

/** The nearest language we know: `de-AT` is German, what nobody knows is American English. */
const FEW = { tr: { ...en, group: '.', decimal: ',' }, az: { ...en, group: '.', decimal: ',' }, ja: en };
heddle.findLanguage = (requested) => {
  const wanted = Array.isArray(requested) ? requested : requested === undefined ? [] : [requested];
  for (const entry of wanted) {
    const tag = String(entry).replace(/_/g, '-');
    // A single letter begins a group of its own, in which something has to stand.
    if (!/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(tag) || /-[A-Za-z0-9](?:-[A-Za-z0-9]-|$)/.test(tag)) throw new RangeError(`Incorrect locale information provided`);
    const plain = tag.replace(/-u-.*$/, '');
    const [name, ...rest] = plain.split('-');
    const region = rest.find((part) => part.length === 2);
    const full = region ? `${name.toLowerCase()}-${region.toUpperCase()}` : name.toLowerCase();
    if (languages[full]) return { locale: plain, data: languages[full] };
    if (languages[name.toLowerCase()]) return { locale: plain, data: languages[name.toLowerCase()] };
    if (name.toLowerCase() === 'en') return { locale: plain, data: region && region !== 'US' ? languages['en-GB'] : en };
  }
  // Of these only what is written otherwise than in English is known.
  const other = wanted.map(String).find((tag) => FEW[tag.split('-')[0].toLowerCase()]);
  return other === undefined ? { locale: 'en-US', data: en } : { locale: other, data: FEW[other.split('-')[0].toLowerCase()] };
};
heddle.supportedLocales = (requested) =>
  (Array.isArray(requested) ? requested : requested === undefined ? [] : [requested]).filter((tag) => {
    const name = String(tag).split(/[-_]/)[0].toLowerCase();
    return name === 'en' || Object.prototype.hasOwnProperty.call(languages, name);
  });
