// Searches, pages, handles a 400 and a 429, and verifies a webhook, with a generated client: BASE_URL, ORIGIN and TOKEN.
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import java.net.http.HttpHeaders;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import search.ApiClient;
import search.ApiException;
import search.api.CatalogSearchApi;
import search.api.CatalogSearchApi.APISearchCatalogRequest;
import search.api.TextSearchApi;
import search.model.CatalogSearchResponse;

public class Search {
  static void check(boolean holds, Object what) {
    if (!holds) throw new IllegalStateException(String.valueOf(what));
  }

  static CatalogSearchResponse find(CatalogSearchApi api, int count, int page) throws ApiException {
    return api.searchCatalog(APISearchCatalogRequest.newBuilder().q("lamp").count(count).page(page).build());
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));
    CatalogSearchApi api = new CatalogSearchApi(client);
    CatalogSearchResponse first = find(api, 2, 1);
    CatalogSearchResponse second = find(api, 2, 2);
    check(first.getProducts().size() == 2 && first.getHasMore(), first);
    check(!first.getProducts().get(0).getId().equals(second.getProducts().get(0).getId()), second);

    try {
      find(api, 999, 1);
      check(false, "999 products were allowed");
    } catch (ApiException error) {
      check(error.getCode() == 400 && error.getResponseBody().contains("invalid_request"), error);
    }

    // The mock refuses when it is asked to, the service when there are too many.
    client.setRequestInterceptor(request -> request.header("Prefer", "code=429"));
    TextSearchApi trial = new TextSearchApi(client);
    int status = 200;
    for (int count = 0; count < 500 && status == 200; count++) {
      try {
        trial.searchTrial("mug", null, null, null, null);
      } catch (ApiException error) {
        status = error.getCode();
        check(error.getResponseHeaders().firstValueAsLong("retry-after").orElse(0) > 0, error);
      }
    }
    check(status == 429, status);

    Webhook webhook = new Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    String body = "{\"type\":\"price.alert\"}";
    long now = Instant.now().getEpochSecond();
    HttpHeaders headers = HttpHeaders.of(
        Map.of(
            "webhook-id", List.of("ev_1"),
            "webhook-timestamp", List.of(String.valueOf(now)),
            "webhook-signature", List.of(webhook.sign("ev_1", now, body))),
        (name, value) -> true);
    webhook.verify(body, headers);
    try {
      webhook.verify(body + " ", headers);
      check(false, "a changed body was accepted");
    } catch (WebhookVerificationException expected) {
      System.out.println("java: searched, paged, 400, 429, webhook");
    }
  }
}
