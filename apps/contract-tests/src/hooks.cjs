// Dredd loads hooks from .cjs files only, and skips a broken one with a mere warning: the run checks that this ran.
const hooks = require("hooks");

const plan = globalThis[Symbol.for("contract-tests plan")];

hooks.beforeEach((transaction, done) => {
  plan.prepare(transaction).then(done, (error) => {
    transaction.fail = error.message;
    done();
  });
});
hooks.beforeEachValidation((transaction) => plan.beforeValidation(transaction));
plan.hooksLoaded = true;
