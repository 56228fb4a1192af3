const { createServer } = require("node:http");

/** Uses the client as a partner does, however it was loaded, and returns the results. */
module.exports = async ({ createClient, isProductSearchError, verifyWebhook, WebhookVerificationError }) => {
  const server = createServer((request, response) => {
    const found = request.url === "/api/v1/search/trial?q=mug&priceRange=%5B1%2C2%5D";
    response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        found ? { status: "success", Products: [] } : { status: "error", message: "No.", code: "not_found" },
      ),
    );
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = createClient({
    baseUrl: `http://127.0.0.1:${server.address().port}/api/v1`,
    token: "pss_test",
  });
  const { Products } = await client.searchTrial({ q: "mug", priceRange: [1, 2] });
  const error = await client.listWebhooks().catch((caught) => caught);
  const refused = await verifyWebhook("{}", {}, "whsec_AAAA").catch((caught) => caught);
  const { payload, headers, apiKey } = JSON.parse(process.env.SIGNED);
  const event = await verifyWebhook(payload, headers, apiKey);
  server.close();
  const reasons = [
    isProductSearchError(error) && error.code,
    refused instanceof WebhookVerificationError && refused.reason,
  ];
  console.log(JSON.stringify([Products, ...reasons, event.type]));
};
