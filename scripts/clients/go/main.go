// Searches, pages, handles a 400 and a 429, and verifies a webhook, with a generated client: BASE_URL, ORIGIN and TOKEN.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"

	"example.com/clients/search"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func check(holds bool, what any) {
	if !holds {
		log.Fatalf("%+v", what)
	}
}

func pointer[T any](value T) *T { return &value }

func main() {
	background := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client, err := search.NewClientWithResponses(os.Getenv("BASE_URL"), search.WithRequestEditorFn(authorize))
	check(err == nil, err)

	find := func(count, page int) *search.SearchCatalogReply {
		found, err := client.SearchCatalogWithResponse(background, &search.SearchCatalogParams{Q: pointer("lamp"), Count: pointer(search.Count(count)), Page: pointer(search.Page(page))})
		check(err == nil, err)
		return found
	}
	first, second := find(2, 1), find(2, 2)
	check(first.JSON200 != nil && second.JSON200 != nil, string(first.Body))
	check(len(first.JSON200.Products) == 2 && first.JSON200.HasMore, first.JSON200)
	check(first.JSON200.Products[0].UnderscoreId != second.JSON200.Products[0].UnderscoreId, second.JSON200)

	wrong := find(999, 1)
	check(wrong.JSON400 != nil && string(wrong.JSON400.Code) == "invalid_request", string(wrong.Body))

	// The mock refuses when it is asked to, the service when there are too many.
	prefer := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Prefer", "code=429")
		return nil
	}
	var limited *search.SearchTrialReply
	for range 500 {
		limited, err = client.SearchTrialWithResponse(background, &search.SearchTrialParams{Q: "mug"}, prefer)
		check(err == nil, err)
		if limited.StatusCode() == 429 {
			break
		}
	}
	seconds, err := strconv.Atoi(limited.HTTPResponse.Header.Get("Retry-After"))
	check(err == nil && seconds > 0 && limited.JSON429 != nil, limited.Status())

	webhook, err := standardwebhooks.NewWebhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	check(err == nil, err)
	body, now := []byte(`{"type":"price.alert"}`), time.Now()
	signature, err := webhook.Sign("ev_1", now, body)
	check(err == nil, err)
	headers := http.Header{}
	headers.Set("webhook-id", "ev_1")
	headers.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	headers.Set("webhook-signature", signature)
	check(webhook.Verify(body, headers) == nil, "a right signature was refused")
	check(webhook.Verify(append(body, ' '), headers) != nil, "a changed body was accepted")
	fmt.Println("go: searched, paged, 400, 429, webhook")
}
