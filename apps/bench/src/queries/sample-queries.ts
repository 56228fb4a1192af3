/** Queries over the sample catalog. Name or category of each of the first five must have one of the words after `=>`. */
export const sampleQueries = {
  absent: `
    laptop
    32 inch tv
    umbrella
    camping tent
    washing machine
    coffee grinder
    table saw
    desk fan
    phone charger
    toothbrush
    electric drill
    dog bed
    yoga mat
    tennis racket
    perfume
    pizza
    red wine
    lipstick
    baby stroller
    diapers
    shower curtain
    bath towel
    mattress
    pillow case
    printer
    tablet
    gaming console
    microwave oven
    refrigerator
    vacuum cleaner
    lawn mower
    screwdriver set
    hammer
    paint roller
    car tyres
    motorcycle helmet
    violin
    drum kit
    piano
    leather belt
    wool socks
    blue jeans
    winter gloves
    silk tie
    gold ring
    pearl necklace
    suitcase
    wallet
    fishing rod
    snowboard
    bookcase
    wardrobe
    bunk bed
    picture frame
    kitchen knife
    frying pan
    blender
    hair dryer
    watch strap
    lamp shade
  `,
  present: `
    desk lamp => desk lamp
    couch => sofa
    settee => sofa
    two seater sofa => sofa
    trainers => sneakers|running shoes
    white trainers => sneakers|running shoes
    runners shoes => shoes
    tee => t-shirt
    tshirt => t-shirt
    t shirt => t-shirt
    t-shirts => t-shirt
    cotton tee shirt => t-shirt
    rucksack => backpack
    laptop backpack => backpack
    holdall => duffel
    gym bag => duffel
    bicycle => bike
    commuter bike => bike
    bike => bike
    cycle => bike
    raincoat => rain jacket
    waterproof jacket => jacket
    winter coat => jacket
    bobble hat => beanie
    knit cap => beanie
    sun hat => hat
    wristwatch => watch
    smart watch => smartwatch
    fitness watch => smartwatch
    shopper bag => tote
    satchel => messenger
    headset => headphones
    noise cancelling headphones => headphones
    cordless headphones => headphones
    wireless speaker => speaker
    loudspeaker => speaker
    tea pot => teapot
    water boiler => kettle
    kettle => kettle
    coffee cup => mug|cup
    thermos mug => travel mug
    sports bottle => bottle
    drinking bottle => bottle
    flower vase => vase
    flower pot => plant pot
    planter => plant pot
    throw pillow => cushion
    carpet runner rug => rug
    wool rug => rug
    swivel chair => office chair
    desk chair => chair
    reading chair => chair|armchair
    bar chair => stool
    barstool => stool
    cocktail table => coffee table
    oak desk => desk
    standing lamp => floor lamp
    bedside lamp => table lamp
    hanging lamp => pendant
    pendant light => pendant
    sun glasses => sunglasses
    blue sunglasses => sunglasses
    scarf => scarf
    wool shawl => scarf
    summer dress => dress
    sundress => dress
    ankle boots => boots
    hiking shoes => boots
    walking boots => boots
    sandals for the beach => sandals
    jogging shoes => running shoes
    running trainers => running shoes
    trail shoes => trail running shoes
    fleece => fleece
    bomber jacket => bomber
    mechanical keyboard => keyboard
    acoustic guitar => guitar
    guitar => guitar
    wall clock => clock
    clock for the kitchen => clock
    espresso cup => espresso
    black leather bag => bag
    navy blue tote bag => tote
    red sneakers => sneakers
    olive backpack => backpack
    armchair => armchair
    velvet armchair => armchair
    dimmable desk lamp => desk lamp
    desk lamp under 50 => lamp
    gift mug => mug
    best office chair => office chair
    cheap headphones => headphones
    headphones for a flight => headphones
    shoes for women => shoes
    lamp for reading in bed => lamp
    backpack with rain cover => backpack
    bag for cycling to work => bag
    chair with lumbar support => chair
    kettle with temperature control => kettle
    stackable dining chairs => chair
  `,
  typos: `
    dsek lamp => lamp
    desk lmap => lamp
    bakcpack => backpack
    backpak => backpack
    headfones => headphones
    hedphones => headphones
    wireles headphones => headphones
    sneekers => sneakers
    sandels => sandals
    keybord => keyboard
    mecanical keyboard => keyboard
    guittar => guitar
    acustic guitar => guitar
    smartwach => smartwatch
    chronogaph => watch
    bycicle => bike
    ketle => kettle
    electirc kettle => kettle
    armchiar => armchair
    ofice chair => office chair
    cusion => cushion
    sunglases => sunglasses
    runing shoes => running shoes
    hikking boots => boots
    shoudler bag => shoulder bag
    mesenger bag => messenger
    bluetoth speaker => speaker
    pendnat light => pendant
    vlevet sofa => sofa
    travle mug => travel mug
  `,
};
