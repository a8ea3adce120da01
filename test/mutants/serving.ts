/** Sabotages of what is served over HTTP: connections, hosts, ports, what clients share and what they leave unread. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const CONNECTIONS = ['test/unit/serving/connections.test.ts'];
const DELIVERIES = ['test/unit/serving/deliveries.test.ts'];
const SERVER = ['test/unit/telemetry/http-server.test.ts'];
const PAGES = ['test/unit/app/pages.test.ts'];

const PICTURE = ['test/unit/telemetry/followers-picture.test.ts'];
const ACCESS = ['test/unit/telemetry/page-access.test.ts'];
const SECURE_PAGES = ['test/unit/app/secure-pages.test.ts'];
const REVIEWS = ['test/unit/kubernetes/access-reviews.test.ts'];

/** Every one of them must be noticed. */
export const SERVING_MUTANTS: readonly Mutant[] = [
  {
    name: 'serving: any number of connections is kept',
    edit: drop('Connections.#take', 'this.#open.size >= this.#most'),
    tests: CONNECTIONS,
  },
  {
    name: 'serving: at the limit the oldest connection goes, idle or not',
    edit: change('Connections.#drop', 'all.find() ?? all[0]', 'all[0]'),
    tests: CONNECTIONS,
  },
  {
    name: 'serving: at the limit a connection goes that was used lately',
    edit: change('Connections.#count', 'this.#forget(connection)', 'false'),
    tests: CONNECTIONS,
  },
  {
    name: 'serving: what has closed counts as a connection',
    edit: drop('Connections.#take', 'socket.once();'),
    tests: CONNECTIONS,
  },
  {
    name: 'serving: a server that ends waits for a connection without a handshake',
    edit: change('endListening', 'connections.closeAll()', 'undefined'),
    tests: CONNECTIONS,
  },
  {
    name: 'serving: the webhook keeps idle connections for two minutes',
    edit: change('admission-server/IDLE_MS', '30_000', '120_000'),
    tests: ['test/unit/admission/admission-server.test.ts'],
  },
  {
    name: 'serving: a host is not looked at',
    edit: drop('HttpServer.#answer', 'allowedHosts !== undefined && !isAllowedHost()'),
    tests: SERVER,
  },
  {
    name: 'serving: a host that begins with localhost is this machine',
    edit: change('isAllowedHost', "name === 'localhost'", "name.startsWith('localhost')"),
    tests: SERVER,
  },
  {
    name: 'serving: no host is allowed beside this machine',
    edit: drop('isAllowedHost', 'allowed.includes(name)'),
    tests: SERVER,
  },
  {
    name: 'serving: a server listens at all addresses, whatever is said',
    edit: change('listen', 'server.listen(port, address, resolve)', 'server.listen(port, resolve)'),
    tests: SERVER,
  },
  {
    name: 'serving: each client has the status made anew',
    edit: change('recent', 'made === undefined', 'true'),
    tests: PAGES,
  },
  {
    name: 'serving: what was shown once is kept and shown for ever',
    edit: drop('recent', 'setTimeout().unref();'),
    tests: PAGES,
  },
  {
    name: 'serving: what is shown is two seconds old',
    edit: change('recent/FRESH_MS', '1000', '2000'),
    tests: PAGES,
  },
  {
    name: 'serving: each client has the status written anew',
    edit: change('Texts.text', 'this.#made.get(key)', 'undefined'),
    tests: PAGES,
  },
  {
    name: 'serving: any number of searches is answered within a second',
    edit: drop('pagesOf.statusPageFor', "request.find !== '' && isFull()"),
    tests: PAGES,
  },
  {
    name: 'serving: after many searches there is no page without one either',
    edit: drop('pagesOf.statusPageFor', "request.find !== ''"),
    tests: PAGES,
  },
  {
    name: 'serving: any number of pictures is answered within a second',
    edit: drop('pagesOf.followersFor', 'isFull()'),
    tests: PAGES,
  },
  {
    name: 'serving: a picture stays without the status page',
    edit: change('pagesOf', 'hasPage ? followersFor : undefined', 'followersFor'),
    tests: PAGES,
  },
  {
    name: 'serving: a picture has no policy of its own',
    edit: change('answersOf', 'PICTURE_HEADERS', '{}'),
    tests: SERVER,
  },
  {
    name: 'serving: a picture shows objects of that name in any namespace',
    edit: change(
      'followers-picture/followersOf',
      'key === object',
      "key.split('/')[2] === object.split('/')[2]",
    ),
    tests: PICTURE,
  },
  {
    name: 'serving: a picture has any number of followers',
    edit: change('followersPicture', 'followers.slice()', 'followers'),
    tests: PICTURE,
  },
  {
    name: 'serving: a picture repeats what was asked for',
    edit: change('followersPicture', 'followers.length === 0', 'false'),
    tests: PICTURE,
  },
  {
    name: 'serving: the pages stay open where the port for probes is taken',
    edit: drop('servePages', 'await stop();'),
    tests: PAGES,
  },
  {
    name: 'serving: any number of bytes waits for clients that do not read',
    edit: change('Deliveries.send', 'this.#bytes <= MOST_BYTES', 'true'),
    tests: DELIVERIES,
  },
  {
    name: 'serving: a body counts for each client',
    edit: change('Deliveries.send', 'this.#underWay.get(body) ?? this.#begin(body)', 'this.#begin(body)'),
    tests: DELIVERIES,
  },
  {
    name: 'serving: what was read counts as unread',
    edit: change('Deliveries.#end', 'this.#bytes -= body.length', 'undefined'),
    tests: DELIVERIES,
  },
  {
    name: 'serving: what is sent to a client that has gone is never over',
    edit: drop('Deliveries.send', 'response.destroyed'),
    tests: DELIVERIES,
  },
  {
    name: 'serving: the end of a body that was cut is the end of the same one that is sent again',
    edit: drop('Deliveries.send', 'this.#underWay.get(body) === clients'),
    tests: DELIVERIES,
  },
  {
    name: 'serving: every known account may get every page',
    edit: change('reviewReader', 'status?.allowed === true && status.denied !== true', 'true'),
    tests: REVIEWS,
  },
  {
    name: 'serving: what is both allowed and denied is allowed',
    edit: drop('reviewReader', 'status.denied !== true'),
    tests: REVIEWS,
  },
  {
    name: 'serving: a token that is not known is that of an account without a name',
    edit: drop('reviewReader', 'authenticated !== true'),
    tests: REVIEWS,
  },
  {
    name: 'serving: a review that fails opens the page',
    edit: change('PageAccess.#review', "'unavailable'", "'allowed'"),
    tests: ACCESS,
  },
  {
    name: 'serving: a refusal is remembered for ever',
    edit: change('REFUSED_MS', '10_000', 'Number.POSITIVE_INFINITY'),
    tests: ACCESS,
  },
  {
    name: 'serving: a right that was withdrawn counts for ever',
    edit: change('ALLOWED_MS', '60_000', 'Number.POSITIVE_INFINITY'),
    tests: ACCESS,
  },
  {
    name: 'serving: a right to one page is one to all',
    edit: change('PageAccess.admit', 'JSON.stringify([hash, path])', 'hash'),
    tests: ACCESS,
  },
  {
    name: 'serving: strangers cost any number of reviews',
    edit: change('PageAccess.#hasRoom', 'this.#second.reviews <= MOST_REVIEWS', 'true'),
    tests: ACCESS,
  },
  {
    name: 'serving: strangers keep out who was allowed before',
    edit: drop('PageAccess.admit', '!this.#allowed.has(key)'),
    tests: ACCESS,
  },
  {
    name: 'serving: answers are remembered without a bound',
    edit: drop('PageAccess.#remember', 'oldest !== undefined && remembered.size >= MOST_REMEMBERED'),
    tests: ACCESS,
  },
  {
    name: 'serving: probes need a token',
    edit: change('HttpServer.#answer', 'PROBE_PATHS.includes(path)', 'false'),
    tests: SECURE_PAGES,
  },
  {
    name: 'serving: who may not read a page reads it',
    edit: change('HttpServer.#answer', "access === undefined || access === 'allowed'", 'true'),
    tests: SECURE_PAGES,
  },
];
