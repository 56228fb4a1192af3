/** Queries over real titles of a hardware store. Each of the first five names must have one of the words after `=>`. */
export const titleQueries = {
  absent: `
    violin
    acoustic guitar
    perfume
    wrist watch for men
    pearl necklace
    gold earrings
    baby stroller
    wooden crib
    skateboard
    surfboard
    necktie
    leather handbag
    wireless headphones
    running sneakers
    beach sandals
    high heels
    wool sweater
    silk pajamas
    swimsuit
    drone with camera
    trumpet
    cello
    toothpaste
    dumbbells
    treadmill
    snowboard
    aspirin
    vitamins
    cereal
    sourdough bread
    microphone
    harmonica
    saxophone
    hairbrush
    wedding gown
    eyeliner
    mascara
    sushi
    tennis racket
    video game
  `,
  present: `
    angle bracket => angle|bracket
    ceiling fan => fan
    led light bulb => bulb|light
    kitchen faucet => faucet
    toilet seat => seat
    bathroom vanity => vanity
    shower head => showerhead|shower head
    showerheads => showerhead|shower head
    one piece showers => shower
    under deck ceiling => ceiling|deck
    garage door opener => opener|garage door
    cordless drill => drill
    reciprocating saw => saw
    sawzall blades => blade|saw
    table saw => saw
    paint brush => brush
    paintbrush => brush
    exterior paint => paint
    wood stain => stain
    deck screws => screw
    1x4 lumber => 1 in. x 4|1x4
    2x4x8 => 2 in. x 4
    3-1/2 in deck screws => screw
    3.5 in screws => 3-1/2|3.5
    1/2 in copper pipe => copper
    12/3 wire => 12/3|12-3
    10-2 wire => 10/2|10-2
    6 ft step ladder => ladder
    5 gallon bucket => bucket|5 gal
    wd40 => wd-40|wd40
    wd 40 lubricant => wd-40|wd40
    20 amp breaker => breaker|20
    gfci outlet => gfci
    light switch => switch
    lightswitch => switch
    door knob => knob
    doorknob => knob|handle
    cupboard hinges => hinge
    drapes => curtain|drape
    weed whacker => trimmer|weed eater
    lawnmower => mower
    riding mower => mower|tractor
    snow thrower => snow
    leaf blower => blower
    pressure washer => pressure washer
    fridge => refrigerator|fridge
    gas stove => range|stove|cook
    dishwasher => dishwasher
    washing machine => washer|laundry
    hot water heater => water heater|heater
    space heater => heater
    air conditioning unit => air condition
    smoke alarm => smoke
    trash can => trash can|can
    garbage can => trash|garbage
    tarp => tarp
    tape measure => tape
    measuring tape => tape|measur
    spanner => wrench|spanner
    tool box => tool
    stepladder => ladder
    patio umbrella => umbrella
    bbq grill => grill
    fire pit => fire
    hammock => hammock
    area rug 8x10 => 8 ft. x 10|8 x 10|rug
    white subway tile => tile
    laminate flooring => laminate|floor
    drywall screws => drywall
    plywood => plywood
  `,
  typos: `
    recepicating saw => saw
    refridgerator => refrigerator
    chandeleir => chandelier
    milwakee drill => milwaukee
    flourescent bulb => fluorescent|flourescent
    cieling fan => fan
    faucit => faucet
    vaccum cleaner => vacuum|vaccum
    toliet seat => toilet
    shelfs brackets => shelf|bracket
    wheelbarow => wheelbarrow
    extention cord => extension
    thermastat => thermostat
    laminat flooring => laminate
    dishwaser => dishwasher
    vinly flooring => vinyl
    galvinized pipe => galvan|galvin
    hindges => hinge
    moulding trim wite => moulding|molding|trim
    garbge disposal => disposal|disposer
  `,
};
