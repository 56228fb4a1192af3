/**
 * Everyday shopping English. Words on one line are synonyms of each other. A word before an arrow is narrower or looser: it
 * also finds the words after the arrow, but not the other way round. The format is that of `pnpm api synonyms import`.
 */
export const englishSynonyms = `
# Seats, tables, beds
couch, sofa, settee
loveseat, love seat, two-seater sofa, two seater sofa
sectional => sectional sofa, corner sofa
sofa bed, sleeper sofa, futon, pull-out couch
armchair, easy chair, club chair
wing chair, wingback chair
office chair, desk chair, computer chair, task chair, swivel chair
gaming chair => office chair
lounger, chaise, chaise longue, chaise lounge, lounge chair
sun lounger, sunbed, deck chair
bar stool, barstool, counter stool, bar chair
footstool, foot stool, ottoman, pouf, pouffe, hassock
rocker, rocking chair
high chair, highchair
beanbag, bean bag, beanbag chair
writing desk, study desk, work desk, office desk, computer desk
coffee table, cocktail table
side table, end table, accent table
nightstand, night stand, bedside table, bedside cabinet, night table
console table, sofa table, hall table
dining table, dinner table, kitchen table
vanity table, dressing table, makeup table
picnic table => outdoor table
chest of drawers, dresser, bureau
wardrobe, armoire, closet cabinet
bookcase, bookshelf, book shelf
shelving, shelves, shelving unit, shelf unit
tv stand, television stand, media console, entertainment center, tv unit
cupboard, cabinet
sideboard, buffet cabinet, credenza
coat rack, coat stand, hat stand, hall tree
shoe rack, shoe shelf, shoe organizer
magazine rack, magazine holder
cot, crib, baby bed
bunk bed, bunkbed, loft bed
headboard, head board, bed head
bed frame, bedframe, bedstead
mattress topper, mattress pad

# Bedding, textiles
comforter, duvet, quilt, eiderdown
duvet cover, quilt cover, comforter cover
throw pillow, cushion, scatter cushion, decorative pillow
pillowcase, pillow case, pillow cover, pillow slip
bed sheets, bedsheets, bed linen, sheet set
bedspread, bed spread, coverlet, bed cover
curtain, drape, drapery
blackout curtain, room darkening curtain, thermal curtain
net curtain, sheer curtain
curtain rod, curtain pole, curtain rail, drapery rod
venetian blind, horizontal blind
window blind, window shade
carpet runner, hallway runner, runner rug
doormat, door mat, entrance mat, welcome mat
bath mat, bathmat, bath rug
dish towel, tea towel, kitchen towel, dishcloth
washcloth, wash cloth, face cloth
tablecloth, table cloth
placemat, place mat, table mat
napkin, serviette
dust sheet, drop cloth, dropcloth, dust cover
slipcover, sofa cover, couch cover

# Light
desk lamp, reading lamp, work lamp
bedside lamp => table lamp
floor lamp, standing lamp, standard lamp
pendant light, hanging light, hanging lamp, pendant lamp, ceiling pendant
ceiling light, ceiling lamp, flushmount light, flush mount light
wall light, wall lamp, sconce, wall sconce
recessed light, downlight, can light, pot light
vanity light, bathroom light fixture
string lights, fairy lights
christmas lights, xmas lights, holiday lights
night light, nightlight
floodlight, flood light
spotlight, spot light
flashlight, torch light, hand torch
light bulb, lightbulb, lamp bulb
lampshade, lamp shade
fluorescent, flourescent, florescent

# Kitchen
kettle, tea kettle, electric kettle, water boiler
teapot, tea pot
mug, coffee mug, coffee cup, tea mug
travel mug, thermos mug, thermal mug, insulated mug, tumbler, to-go cup
espresso cup, demitasse
wine glass, wineglass, stemware
water bottle, drinking bottle, sports bottle, canteen
thermos, vacuum flask, thermos flask, insulated bottle
coffee maker, coffee machine, coffeemaker
french press, cafetiere, coffee press
espresso machine, espresso maker
coffee grinder, coffee mill
fridge, refrigerator, icebox
freezer, deep freezer, deep freeze
stove, range, cooker
cooktop, hob, stove top
range hood, cooker hood, extractor hood, vent hood
dishwasher, dish washer
garbage disposal, food waste disposer, waste disposal unit
toaster oven, mini oven
blender, liquidizer, smoothie maker
hand blender, immersion blender, stick blender
food processor, kitchen machine
slow cooker, crock pot, crockpot
pressure cooker, instant pot
frying pan, fry pan, skillet, frypan
saucepan, sauce pan
stockpot, stock pot, soup pot
dutch oven, casserole dish, cocotte
baking tray, baking sheet, cookie sheet
baking pan, cake pan, cake tin
cutting board, chopping board
knife block, knife holder
cutlery, silverware, flatware, tableware
dishes, dinnerware, crockery
colander, strainer, sieve
spatula, turner
can opener, tin opener
bottle opener, corkscrew, wine opener
measuring cup, measuring jug
oven glove, oven mitt, pot holder
cling film, plastic wrap, saran wrap
aluminum foil, tin foil, tinfoil, kitchen foil
paper towel, kitchen roll, kitchen paper
lunch box, lunchbox, bento box
food container, food storage container, tupperware
water filter pitcher, water filter jug
countertop, counter top, worktop, benchtop
faucet, tap, spigot
kitchen sink, sink basin

# Bath and cleaning
toilet, commode, lavatory, wc
toilet seat, toilet lid
toilet paper, bathroom tissue, loo roll, toilet tissue, toilet roll
toilet brush, loo brush
bathtub, bath tub, tub
shower head, showerhead, shower rose
hand shower, handheld shower, hand held shower
shower curtain, bath curtain
shower tray, shower base, shower pan
shower stall, shower cubicle, shower enclosure
towel bar, towel rail, towel rack
bathroom cabinet, medicine cabinet
bathroom vanity, vanity unit
washbasin, wash basin, bathroom sink
soap dispenser, soap pump
vacuum cleaner, hoover, vacuum
robot vacuum, robotic vacuum, robot hoover
broom, sweeper
dustpan, dust pan
bucket, pail
trash can, garbage can, waste bin, rubbish bin, dustbin, wastebasket, trash bin
trash bag, garbage bag, bin liner, bin bag, rubbish bag
washing machine, clothes washer, laundry machine
tumble dryer, clothes dryer, dryer machine
laundry basket, hamper, laundry hamper, clothes hamper
clothes airer, drying rack, clothes horse, airer
clothesline, clothes line, washing line
clothespin, clothes peg, clothes pin
laundry detergent, washing powder, washing liquid
dish soap, washing up liquid, dishwashing liquid
cleaner, cleaning agent

# Rooms, air, safety
air conditioner, air conditioning, a/c unit, ac unit
swamp cooler, evaporative cooler
space heater, room heater, portable heater
water heater, hot water heater, boiler
hot water tank => water heater
exhaust fan, extractor fan, ventilation fan, vent fan
air purifier, air cleaner
smoke detector, smoke alarm
carbon monoxide detector, co detector, co alarm
doorbell, door bell, door chime
door knob, doorknob, door handle
deadbolt, dead bolt
padlock, pad lock
mailbox, mail box, letterbox, letter box, post box
picture frame, photo frame
mirror, looking glass
wall clock, hanging clock
alarm clock, clock radio
plant pot, flower pot, flowerpot, planter, plant container
hanging basket, hanging planter
artificial plant, fake plant, faux plant
candle holder, candlestick, candleholder
wallpaper, wall paper, wall covering
wall sticker, wall decal
storage box, storage bin, storage container

# Shoes
sneakers, trainers, gym shoes, tennis shoes
sneakers => running shoes
trainers => running shoes
running shoes, jogging shoes, running trainers
trail running shoes, trail shoes, trail runners
hiking boots, walking boots, trekking boots, hiking shoes, hikers boots
rain boots, rubber boots, wellies, wellingtons, wellington boots, gumboots
ankle boots, booties, ankle booties, chelsea boots
work boots, safety boots, steel toe boots
flip-flops, flipflops, thong sandals
slippers, house shoes
high heels, heels, stilettos
dress shoes, oxford shoes, formal shoes
ballet flats, ballerinas, flat shoes
loafers, slip-on shoes, moccasins
football boots, soccer cleats, soccer shoes
shoelaces, shoe laces, bootlaces
insoles, shoe inserts

# Clothes
t-shirt, tshirt, tee, tee shirt, t shirt
tank top, vest top, singlet, sleeveless shirt
shirt, button-down, dress shirt
running shirt, running top, jogging shirt
blouse, ladies shirt
sweater, jumper, pullover, jersey
cardigan, cardi
hoodie, hooded sweatshirt, hoody, hooded sweater
sweatshirt, crewneck
sweatpants, joggers, jogging bottoms, track pants, jogging pants
tracksuit, track suit, jogging suit
pants, trousers, slacks
jeans, denim pants
leggings, jeggings, stretch pants
jacket, coat
rain jacket, raincoat, rain coat, waterproof jacket, anorak
windbreaker, wind jacket, windcheater
bomber jacket, flight jacket, aviator jacket
fleece jacket, fleece, polar fleece
down jacket, puffer jacket, puffer, padded jacket
winter coat, parka
blazer, sport coat, sports jacket
vest, waistcoat, gilet
dress, frock
summer dress, sundress, sun dress
evening dress, evening gown, ball gown
bathrobe, dressing gown, bath robe, robe
pajamas, pyjamas, pjs, sleepwear, nightwear
nightgown, nightdress, nightie
underwear, underpants, undergarment
panties, knickers
bra, brassiere
stockings, hosiery, tights, pantyhose
swimsuit, bathing suit, swimming costume, swimwear
swim trunks, swimming trunks, swim shorts, board shorts
hat, headwear
bucket hat, fishing hat, sun hat
baseball cap, ball cap, cap
beanie, knit cap, woolly hat, winter hat, stocking cap, bobble hat
scarf, shawl, neck scarf, muffler
gloves, mittens
necktie, tie
bow tie, bowtie
suspenders, trouser braces
sunglasses, sun glasses, shades eyewear, sunnies
eyeglasses, spectacles, reading glasses
umbrella, brolly
apron, pinafore
costume, fancy dress

# Bags
backpack, rucksack, knapsack, back pack, bookbag, school bag, schoolbag, daypack, day pack
tote bag, tote, shopper bag, shopping bag, carryall
handbag, purse, hand bag, pocketbook
handbag => tote bag, shoulder bag, crossbody bag, messenger bag
shoulder bag, crossbody bag, cross-body bag, sling bag
messenger bag, satchel, courier bag
duffel, duffle, duffel bag, duffle bag, holdall, gym bag, weekender, sports bag
suitcase, trolley case, travel case, carry-on bag
luggage => suitcase
briefcase, attache case
laptop bag, notebook bag, laptop case
wallet, billfold
fanny pack, bum bag, belt bag, waist pack
toiletry bag, wash bag, dopp kit, sponge bag
makeup bag, cosmetic bag
diaper bag, nappy bag, changing bag

# Jewellery, watches
jewelry, jewellery
smartwatch, smart watch, fitness watch
fitness tracker, activity tracker, fitness band
watch strap, watch band, watchband
necklace, pendant chain
bracelet, bangle

# Electronics
television, tv, telly, tv set
headphones, headset, head phones
earphones, earbuds, ear buds, in-ear headphones
wireless headphones, bluetooth headphones, cordless headphones
noise cancelling, noise canceling, noise-cancelling, anc
speaker, loudspeaker
bluetooth speaker, wireless speaker, portable speaker
soundbar, sound bar
stereo, hi-fi, hifi, sound system
laptop, notebook computer, laptop computer
computer, pc, desktop computer
computer monitor, computer screen, pc monitor
mouse pad, mouse mat, mousepad
cell phone, mobile phone, smartphone, cellphone, mobile
phone case, phone cover
phone charger, charging cable, charger cable
power bank, portable charger, battery pack
memory card, sd card
flash drive, usb stick, memory stick, thumb drive, usb drive
extension cord, extension lead, extension cable, power cord
power strip, surge protector, multi socket
camcorder, video camera
printer cartridge, ink cartridge, printer ink
router, wifi router, wireless router
electrical outlet, receptacle, power outlet, wall socket
security camera, surveillance camera, cctv camera

# Bikes, music, sport, travel
bike, bicycle, cycle
city bike, commuter bike, urban bike, town bike, dutch bike
e-bike, ebike, electric bike, electric bicycle
mountain bike, mtb
bike helmet, cycling helmet, bicycle helmet
bike lock, bicycle lock
electronic keyboard, digital piano
yoga mat, exercise mat, gym mat
dumbbells, hand weights, free weights
treadmill, running machine
exercise bike, stationary bike, spin bike
sleeping bag, bivvy bag
cooler, cool box, ice chest, cooler box
soccer ball, football ball
trampoline, bouncer

# Tools
wrench, spanner
adjustable wrench, adjustable spanner, crescent wrench
allen wrench, hex key, allen key
vise, vice, bench vise
screwdriver, screw driver
drill driver, cordless drill
hammer drill, percussion drill, rotary hammer
reciprocating saw, sawzall, recip saw
circular saw, skilsaw, skil saw
jigsaw, jig saw, saber saw
table saw, bench saw
miter saw, mitre saw, chop saw
chainsaw, chain saw
angle grinder, disc grinder
sandpaper, sand paper, abrasive paper
nail gun, nailer, nailgun
staple gun, stapler gun
spirit level, bubble level
utility knife, box cutter, stanley knife, carpet knife
toolbox, tool box, tool chest
workbench, work bench
step stool, folding step
hand truck, dolly, sack truck
flat head screwdriver, slotted screwdriver
duct tape, duck tape, gaffer tape
masking tape, painters tape
zip tie, cable tie, zip-tie
glue, adhesive
caulk, caulking, sealant
putty, filler
dust mask, respirator
safety glasses, safety goggles, protective glasses
ear muffs, earmuffs, ear defenders

# Building
drywall, sheetrock, plasterboard, gypsum board, wallboard
plexiglass, plexiglas, acrylic sheet, perspex
plywood, ply wood
lumber, timber
lumber => board
baseboard, skirting board, base molding
crown molding, cornice, cove molding
wainscoting, wainscot, beadboard
hardwood floor, hardwood flooring, wood flooring
vinyl flooring, vinyl floor, lino, linoleum
gutter guard, leaf guard, gutter screen
sliding door, patio door
screen door, mosquito door
bifold door, bi-fold door, folding door
window screen, insect screen, fly screen
paint roller, roller cover
paintbrush, paint brush
spray paint, aerosol paint
paint thinner, mineral spirits, white spirit
concrete mix, cement mix
circuit breaker, breaker switch
gfci, gfi, ground fault
romex, nm-b wire

# Garden
lawn mower, lawnmower, grass cutter
riding mower, lawn tractor, ride-on mower
weed eater, weed whacker, string trimmer, strimmer, weedeater, grass trimmer, line trimmer
hedge trimmer, hedge clippers, hedge cutter
leaf blower, garden blower
snow blower, snowblower, snow thrower
snow shovel, snow pusher
pruning shears, pruners, secateurs, hand pruner
garden hose, water hose, hosepipe
hose reel, hose holder
wheelbarrow, wheel barrow, garden cart
shovel, spade
weed killer, herbicide, weedkiller
insect killer, bug spray, insecticide, pesticide, bug killer
insect repellent, mosquito repellent, bug repellent
mouse trap, mousetrap
plant food, fertilizer
potting soil, potting mix, compost soil
topsoil, top soil
artificial grass, fake grass, artificial turf, synthetic turf
grill, barbecue, bbq, barbeque
fire pit, firepit, fire bowl
firewood rack, log rack, log holder
patio furniture, garden furniture, outdoor furniture
patio umbrella, parasol, sun umbrella, garden umbrella
patio heater, outdoor heater
gazebo, pavilion
awning, sun shade
garden shed, storage shed, tool shed
garden bench, outdoor bench
hammock, hanging bed
bird feeder, birdfeeder
greenhouse, green house
pressure washer, power washer, jet washer

# Children, pets, care, office
diaper, nappy
pacifier, soother
stroller, pushchair, baby carriage, pram
car seat, child seat, baby seat
baby bottle, feeding bottle
stuffed animal, plush toy, soft toy, cuddly toy
board game, tabletop game
building blocks, toy bricks
dollhouse, dolls house
dog leash, dog lead
dog collar, pet collar
dog bed, pet bed
cat litter, kitty litter
litter box, litter tray
fish tank, aquarium
toothbrush, tooth brush
toothpaste, tooth paste
hair dryer, blow dryer, hairdryer
hair straightener, flat iron, straightening iron
razor, shaver
shaving cream, shaving foam
sunscreen, sun cream, sunblock, sun lotion
perfume, cologne, eau de toilette
lip balm, chapstick
nail polish, nail varnish
makeup, cosmetics, make-up
moisturizer, face cream, moisturiser
band-aid, plaster strip, adhesive bandage
first aid kit, medical kit
bathroom scale, body scale
pen, ballpoint, ballpoint pen, biro
highlighter, marker pen
ring binder, binder folder
sticky notes, post-it notes, post-its
adhesive tape, sticky tape, scotch tape, sellotape
whiteboard, dry erase board
wrapping paper, gift wrap, gift paper
present => gift

# Spellings and short forms
tire, tyre
plow, plough
donut, doughnut
wifi, wi-fi
led light, led lamp
xmas, christmas
ss => stainless steel
fluorescent tube, tube light
multicolored, multicoloured, colorful, colourful
watch, wristwatch, wrist watch, timepiece
blanket, throw
ladder, stepladder
notebook, notepad, writing pad
roller blind, roller shade
galv => galvanized
wood, wooden
wooden => oak, walnut, teak, acacia, mahogany, bamboo
`;
