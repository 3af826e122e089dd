// Imported lazily: a command without a configuration file does not need the parser. The bundler resolves names of this module only if they
// are imported by name.
export { isMap, isScalar, LineCounter, parseDocument, visit } from 'yaml';
