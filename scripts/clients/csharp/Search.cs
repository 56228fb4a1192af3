// Searches, pages, handles a 400 and a 429, and verifies a webhook, with a generated client: BASE_URL, ORIGIN and TOKEN.
using System.Net.Http.Headers;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Kiota.Abstractions;
using Microsoft.Kiota.Abstractions.Authentication;
using Microsoft.Kiota.Http.HttpClientLibrary;
using ProductSearch;

static void Check(bool holds, object? what)
{
    if (!holds) throw new InvalidOperationException($"{what}");
}

// A client of one's own: that of Kiota waits and repeats what was limited.
var http = new HttpClient();
http.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", Environment.GetEnvironmentVariable("TOKEN"));
var adapter = new HttpClientRequestAdapter(new AnonymousAuthenticationProvider(), httpClient: http)
{
    BaseUrl = Environment.GetEnvironmentVariable("BASE_URL"),
};
var client = new ApiClient(adapter);

var find = (int count, int page) => client.Search.Catalog.GetAsync(request =>
{
    request.QueryParameters.Q = "lamp";
    request.QueryParameters.Count = count;
    request.QueryParameters.Page = page;
});
var first = (await find(2, 1))?.Products ?? [];
var second = (await find(2, 2))?.Products ?? [];
Check(first.Count == 2 && second.Count == 2, first.Count);
Check(first[0].Slug != second[0].Slug, second[0].Slug);

try
{
    await find(999, 1);
    Check(false, "999 products were allowed");
}
catch (ApiException error)
{
    Check(error.ResponseStatusCode == 400, error);
}

// The mock refuses when it is asked to, the service when there are too many.
var status = 200;
for (var count = 0; count < 500 && status == 200; count++)
{
    try
    {
        await client.Search.Trial.GetAsync(request =>
        {
            request.QueryParameters.Q = "mug";
            request.Headers.Add("Prefer", "code=429");
        });
    }
    catch (ApiException error)
    {
        status = error.ResponseStatusCode;
        var wait = error.ResponseHeaders.First(header => header.Key.Equals("Retry-After", StringComparison.OrdinalIgnoreCase));
        Check(int.Parse(wait.Value.First()) > 0, error);
    }
}
Check(status == 429, status);

// Standard Webhooks: HMAC-SHA256 of identifier, time and body.
byte[] key = Convert.FromBase64String("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
var seconds = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
string Sign(string body) => "v1," + Convert.ToBase64String(HMACSHA256.HashData(key, Encoding.UTF8.GetBytes($"ev_1.{seconds}.{body}")));
bool Verify(string body, string signature) =>
    CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(Sign(body)), Encoding.UTF8.GetBytes(signature));
var signature = Sign("{\"type\":\"price.alert\"}");
Check(Verify("{\"type\":\"price.alert\"}", signature), "a right signature was refused");
Check(!Verify("{\"type\":\"price.alert\"} ", signature), "a changed body was accepted");
Console.WriteLine("csharp: searched, paged, 400, 429, webhook");
