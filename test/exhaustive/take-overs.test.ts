/** Every history of the small world in which one process takes over from another. */

import { SEARCHES } from './searches.ts';
import { testSearches } from './test-searches.ts';

testSearches(SEARCHES.filter(({ scope }) => scope.takeOvers));
