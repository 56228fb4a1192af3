/**
 * English words that state nothing specific about a product. A writer may use these and the words of the products' own
 * texts. Any other word is not supported by the catalog.
 */
const text = `
  a an the this that these those it its itself they them their theirs there here he she his her i i'm i've i'd i'll me my mine we us our you your yours you're you'll
  is are was be been being am isn't aren't it's that's there's here's what's do does did doesn't don't didn't done has have had haven't hasn't having can can't cannot could
  would wouldn't should shouldn't will won't may might must shall let let's
  and or but nor so yet also too as if because since while whereas although though however therefore then than else unless until when whenever where wherever which who whom whose
  what why how whether either neither both all any some every each other others another none nothing something anything everything someone anyone everyone no not never
  of to in on at by for from with without within into onto about above after against along among around before behind below beneath beside besides between beyond despite
  down during except inside instead like near next off out outside over past per regarding round through throughout toward towards under up upon via
  very really quite rather fairly pretty just only even still already again always often usually sometimes mostly mainly especially particularly simply clearly probably perhaps maybe
  likely certainly definitely indeed overall generally actually exactly nearly almost enough more most less least much many few several little lot lots bit
  first second third fourth last final finally one once twice now currently today soon later early moment time times way ways
  good better best great nice fine excellent solid strong decent ideal perfect lovely attractive appealing worth worthy worthwhile fair sensible reasonable suitable right fitting smart popular
  favourite favorite useful helpful practical simple easy easily big bigger biggest small smaller smallest large larger largest high higher highest low lower lowest long short
  same similar different various particular special certain whole full close closer closest nearest clear main key top available unavailable
  choice choices choose choosing chosen option options pick picks picked recommend recommended recommendation recommendations suggestion suggestions suggest suggests alternative alternatives
  product products item items thing things one ones kind kinds sort sorts type types range selection list result results match matches matched matching fit fits fitting find finds found
  search searched searching look looking looks looked see show shows shown seen want wanted wants need needed needs ask asked asks request requested requests
  query word words term terms mind matter matters case point question answer help helps
  price prices priced pricing cost costs costing spend spending spent pay paying paid money budget limit limits bound affordable cheap cheaper cheapest inexpensive expensive pricier priciest
  costly value bargain bargains deal deals discount discounted discounts reduced reduction reductions sale offer offers offered saving savings save saves average history
  rating ratings rated rate review reviews reviewed reviewer reviewers star stars score scores scored buyer buyers customer customers people shopper shoppers user users
  brand brands store stores shop shops seller sellers sold sell sells catalog catalogue category categories colour color colours colors size sizes
  stock ship ships buy buying bought get gets getting got give gives given go goes going come comes coming came take takes taking make makes making made keep keeps kept
  stay stays stand stands start starts begin put set sets aside left leave leaves bring brings use uses used using work works working serve serves suit suits
  know known think say says said tell mean means seem seems feel feels note consider considering compare compared comparison comparing decide depends depending prefer preferred prefers
  offer combine combines combined combination balance trade-off tradeoff compromise difference differ reason reasons advantage benefit addition extra feature features
  together separately altogether apart alone hello hi welcome thanks thank glad happy sorry please unfortunately fortunately sure yes okay
  nothing beyond everything partly part parts set pair whichever whoever anyway otherwise meanwhile moreover furthermore additionally lastly
  order ordered ahead longer arrive arrives arrival wait waiting back soon preorder backorder request narrow narrows narrower wider widen far apart differs
  quality option everyday purpose purposes home person someone yourself gift
  well highly lowly nicely closely slightly somewhat considerably noticeably significantly comfortably total number count among ahead behind front side
  wrong spelling mistake description name named such contradict contradicts describe describes example exact exactly real truly true honest honestly open try tried trying change changes changed changing again exist exists want lead leads line lines up-front
  data mention mentions mentioned meet meets met check checked condition conditions
  mix middle end ends ranks rank ranked ranking stretch goes step upgrade downgrade runner-up runner up contender winner win wins pleasure
`;

export const plainWords: ReadonlySet<string> = new Set(text.trim().split(/\s+/));
