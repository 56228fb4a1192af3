import { wordSet } from "./word-set.ts";

const electronics = `
  adapter adaptor airpods alarm amplifier amp android antenna battery batteries cable camcorder camera cameras car charger
  chargers chromebook computer computers console controller desktop dishwasher dock drone earbuds earphones ebook ereader fax
  flashlight freezer fridge gamepad gps hairdryer headset heater hoover humidifier imac inverter ipad iphone joystick
  kindle laptop laptops lens macbook microphone microscope microwave modem monitor monitors motherboard mouse notebook oven
  ovens phone phones playstation powerbank printer printers processor projector radio refrigerator remote router scanner
  screen server smartphone smartphones soundbar speaker stereo subwoofer switch tablet tablets telephone television
  televisions telescope thermostat toaster tripod tv tvs turntable typewriter usb vacuum vacuums walkman washer webcam
  wifi xbox
`;

const household = `
  airer aquarium ashtray awning barbecue barrel basin basket baskets bassinet bath bathmat bathrobe bathtub bbq bed beds
  bedding bedside bench benches bidet bin bins blanket blankets blender blind blinds board boiler bookcase bookends bookshelf
  bowl bowls box boxes bracket broom brush bucket bulb bunk cabinet cabinets cage case candle candles candlestick carafe carpet
  carpets cart casserole chandelier chest chopsticks closet clothesline coaster coasters colander comforter cooker cooktop cot
  couch crate crib cupboard curtain curtains cutlery decanter dehumidifier dispenser doorbell doormat drapes drawer dresser
  dryer duster dustbin duvet duvets eiderdown fan fans faucet fence fireplace flask flooring flowerpot foil footstool fork forks
  frame frames fridge fryer furnace futon gazebo glasses grater griddle grill grinder guillotine gutter hammock hamper hanger
  hangers headboard hob hook hooks hose hotplate incense iron jar jars jug juicer kettle keyring knife knives ladder ladle
  lantern lawnmower lid lighter linens lock locker locks loveseat magnet mailbox mat mats mattress mattresses microwave mirror
  mirrors mixer mop mower napkin napkins nightstand oven ottoman pan pans parasol pergola pillow pillows pillowcase pitcher
  placemat plate plates plug pot pots pouf pram quilt quilts radiator rack racks rake range refrigerator ring roaster rug rugs
  safe saucepan saucer saw scale scales scissors screen shade shelf shelves shelving shutters stand sideboard sink sinks skillet
  socket spade spatula spoon spoons sprinkler stool stove strainer table tablecloth tap teapot thermometer throw tile tiles
  toaster toilet torch towel towels trampoline trash tray trays trellis tub umbrella umbrellas urn valance vase wardrobe
  wardrobes washbasin wastebasket wheelbarrow whisk wok wreath
`;

const clothing = `
  apron bandana belt belts bikini strap blazer blazers blouse blouses boot boots bow bra bracelet bracelets bras braces briefs
  brooch bustier cap caps cape cardigan cardigans chinos cloak clogs coat coats corset costume cravat cufflinks dungarees
  earring earrings espadrilles flannel fleece flipflops footwear garter gilet glove gloves gown gowns handbag handbags
  handkerchief headband heels helmet helmets hoodie hoodies hosiery jeans jersey jewellery jewelry jumper jumpers jumpsuit
  jumpsuits kilt kimono leggings lingerie loafers mittens moccasins necklace necklaces nightgown nightie overalls overcoat
  pajamas panties pants parka pendant pin poncho pumps purse purses pyjamas raincoat ring rings robe romper sari sarong
  sash shawl shirt shirts shoelaces shorts skirt skirts slippers smock sneaker sock socks stockings suit suits suspenders
  sweater sweaters sweatpants sweatshirt swimsuit swimsuits swimwear tanktop tee thong tie ties tights tracksuit trousers
  tunic turtleneck tutu tuxedo underpants underwear uniform veil vest vests waistcoat wallet wallets wellies wellingtons wetsuit
  wig wigs windbreaker
`;

const care = `
  aftershave antiseptic bandage bandages comb concealer conditioner contacts cosmetics cream creams crutches deodorant
  diaper diapers epilator eyeliner eyeshadow floss foundation hairbrush hairspray inhaler lipstick lotion makeup mascara
  massager medicine mouthwash nappies nappy ointment perfume perfumes pills plaster razor razors serum shampoo shaver soap
  soaps sponge stethoscope stroller sunscreen supplement supplements syringe tampons thermometer tissue tissues toothbrush
  toothbrushes toothpaste tweezers vitamin vitamins walker wheelchair wipes
`;

const leisure = `
  accordion albums anchor arrow atlas ball balls balloon balloons banjo barbell baseball basketball bat bats bike bikes binoculars
  blocks boardgame boat boats book books bow calculator calendar canoe canvas cards cello checkers chess clarinet comic comics
  crayons cube dart darts dartboard diary doll dollhouse dolls drum drums drumsticks dumbbell dumbbells dvd easel envelope
  envelopes eraser figurine fins firewood flag flags flute football frisbee game games globe glue goggles golf guitar harmonica
  hockey ink jigsaw kayak kettlebell kite lego magazine magazines map marbles marker markers mask masks mat microphone notebook
  notebooks oboe paddle paint paintbrush paints pen pencil pencils pens piano pingpong playhouse plush poster posters
  puck puppet puzzle puzzles racket rackets racquet rod rope rucksack ruler saxophone scissors scooter scooters skateboard
  skateboards skates ski skis sled sledge snorkel snowboard stapler stickers surfboard sword synthesizer tape teddy tent
  tents toy toys trampoline treadmill tricycle trombone trumpet tuba ukulele unicycle videogame violin volleyball whistle xylophone
`;

const hardware = `
  alternator axe bearing bearings binder bolt bolts brake brakes brick bricks bulldozer caliper car carburetor cars cement
  chainsaw chisel clamp clamps compressor cover crane crowbar cylinder drill drills engine excavator extinguisher fertilizer
  fertiliser filter filters fuse fuses gasket generator grout hacksaw hammer hammers hatchet hedge hinge hinges hubcap insulation
  jack jackhammer lathe lumber machine mallet motor motorbike motorcycle motorcycles mulch multimeter nail nailer nails nut nuts organizer
  paver pavers pipe pipes piston plank pliers plow plunger primer pump pumps putty rivet rivets roller sander sandpaper
  scaffold screw screwdriver screwdrivers screws seed seeds shingles shovel sledgehammer socket soil spanner sprayer stapler
  tarp tarpaulin thermostat tire tires toolbox tractor trailer trimmer trowel truck trucks tyre tyres valve valves van varnish
  vice vise washer welder wheel wheels winch wire wires wrench wrenches yacht
`;

const food = `
  almonds apple apples bacon bagel banana bananas beef beer beers biscuits bread brownies burger butter cake cakes candy
  cereal champagne cheese chicken chips chocolate chocolates cider cigarettes cigars coconut cognac cookies crackers cucumber
  curry dumplings egg eggs fish flour fruit fruits garlic gin ginger grapes gum ham honey icecream jam juice ketchup lamb
  lemonade lemons lettuce lobster marmalade mayonnaise meat milk muffins mushrooms noodles nuts oatmeal oats onions oranges
  pancakes pasta peanuts pears pepper pickles pie pizza plants popcorn pork potatoes pretzels prosecco protein pudding
  rice rum salad salami salmon salt sandwich sauce sausage shrimp soda soup soy spaghetti spice spices steak strawberries
  sugar sushi syrup tea tequila tobacco tofu tomatoes tuna turkey vanilla vegetables vinegar vodka waffles whiskey whisky
  wine wines yeast yogurt yoghurt
`;

/** Everyday words for what shops sell. */
export const englishThings: ReadonlySet<string> = wordSet(
  `${electronics} ${household} ${clothing} ${care} ${leisure} ${hardware} ${food}`,
);
