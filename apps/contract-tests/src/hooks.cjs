// Dredd loads hooks only from .cjs files, and a broken file causes only a warning. So the run checks that this file was loaded.
const hooks = require("hooks");

const plan = globalThis[Symbol.for("contract-tests plan")];

hooks.beforeAll((transactions, done) => {
  plan.arrange(transactions);
  done();
});
hooks.beforeEach((transaction, done) => {
  plan.prepare(transaction).then(done, (error) => {
    transaction.fail = error.message;
    done();
  });
});
hooks.beforeEachValidation((transaction) => plan.beforeValidation(transaction));
plan.hooksLoaded = true;
