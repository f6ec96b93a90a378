/** Every class of fault that the simulation injects. A long run in which one of them never happened has failed. */
const statements = ['begin', 'load', 'write', 'commit', 'rollback', 'take', 'integrate'];
const messages = ['lost', 'late', 'doubled', 'reordered'];

export const faultClasses: readonly string[] = [
  // Between clients, nodes and witnesses
  ...messages.flatMap((what) => [`${what} request`, `${what} answer`]),
  'lost note',
  'late note',
  'reordered note',
  'altered answer',
  'partition',
  // Nodes, at each step of a batch and of an integration and between them
  ...statements.flatMap((step) => [`node crashes before ${step}`, `node crashes after ${step}`]),
  ...statements.flatMap((step) => [`line breaks before ${step}`, `line breaks after ${step}`]),
  'node crashes',
  'node pauses',
  'line goes silent',
  'clock jumps ahead',
  'clock jumps back',
  // The shared database
  'database restarts',
  'failover',
  'silent failover',
  'standby stops',
  'two nodes lead',
  'database is set back',
  // Witnesses
  'witness crashes at record',
  'witness crashes at recorded',
  'witness crashes at copy',
  'witness crashes at answer',
  'witness set back, copy kept',
  'witness set back with its copy',
  // The embedded store
  'embedded node crashes',
  'embedded node crashes while a batch is written',
  'signed checkpoint is lost before it is published',
  'disk fails',
  'disk stalls',
];
