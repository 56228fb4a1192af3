import { foreignCodes, foreignWords } from "@product-search/core/domain/languages/languages.ts";

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Words of the request that do not describe the thing. */
export const fillerWords = words(`
  a an the this that that's these those it its it's there's here's who's let's they're you're we're you've we've they've they them their he she his her him i i'm im i'd i've i'll ill my mine me myself we us our you your yours
  is are was were be been being am do does did done don't doesn't didn't has have had having can could should would will want wants wanted
  wish need needs needed like likes liked love loves loved enjoy enjoys enjoying adore adores obsessed crazy prefer preferably ideally look looking looks search searching find finding found show showing see give
  get getting got buy buying purchase purchasing order recommend recommends recommendation recommendations suggest suggestion suggestions help
  choose pick please pls plz thanks thank you hi hello hey dear ok okay some any something anything someone somebody everything stuff thing things
  product products item items option options choice choices kind kinds sort sorts type types model models one ones what what's whats which who where there here
  and or but so also then than too very really quite pretty just only maybe perhaps ever as such if because while since again
  nice good great decent amazing awesome lovely beautiful perfect cool suitable proper ideal available sell sells selling sold shop store price prices priced cost costs costing
  much many more most less lot lots bit few each both either neither all know tell let let's go going must may might shall make makes good-looking
  today now currently right new-ish around about ask wondering wonder interested hoping hope trying try compare comparing comparison versus vs difference smth sth spend spending pay paying afford new old wanna gimme lookin searchin im ive u ur thx way come comes instead rather else though however other others another start starts starting begin begins beginning says say saying reasonable reasonably up per
  everywhere anywhere somewhere always never often usually basically honestly literally anyway um uh idea no not sure
  won't can't couldn't wouldn't shouldn't he's she's been goes fit fits take how least
  think thinks buyers customers definitely absolutely certainly truly simply mostly mainly especially particularly probably possibly exactly completely
`);

/** Function words of other languages, also of some that are otherwise not read: they are not searched for. */
export const foreignFillers = words(`
  ${foreignCodes.map((code) => foreignWords[code].fillers).join(" ")}
  il lo gli uno e ed di da per cerco voglio een het en met voor zonder ik zoek os as um uma com sem eu procuro
`);

/** The noun comes before these words: "a bag for a laptop" is a bag. */
export const prepositions = words(
  "made broke broken costing called named said for with in of to from by at on into onto without that which who whose while when during after before against inside outside like under over below above between up",
);

/** A new thing starts after these words: "a tent and a mat". */
export const determiners = words("a an the some another my any one 1 2 3 4 5 6 7 8 9 10 12");

/** Phrases whose first noun has no meaning: "a pair of shoes" is shoes. */
export const quantityPhrase =
  /\b(?:pairs?|sets?|packs?|boxes|bunch|couple|kinds?|types?|sorts?|pieces?|lots?) of\b/g;
