// What every command needs, without the settings of the service: those take longer to load than the rest of a short command.
export { nearest, nearestOf } from './nearest.ts';
export { PortFileError, readPortFile } from './port-file.ts';
export { readSecretFile } from './secret-file.ts';
