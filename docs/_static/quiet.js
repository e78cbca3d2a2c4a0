// The theme reports on the console what it does; readers of the console look for errors.
const log = console.log;
console.log = (...said) => String(said[0]).startsWith("[PST]") || log(...said);
