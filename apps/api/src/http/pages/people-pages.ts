import { ApiError } from "@product-search/core/errors.ts";
import type { Person } from "@product-search/core/ports/accounts.ts";
import type { FastifyInstance, FastifyReply } from "fastify";
import { clientAddress } from "../access/client-network.ts";
import { type ConsoleSessions, proxyPrefix } from "../access/console-sessions.ts";
import { countPages, type Guard } from "../access/guard.ts";
import { escapeHtml } from "./page-head.ts";

export interface PeoplePagesDeps {
  sessions: ConsoleSessions;
  /** Who is invited with this code. */
  findInvited(code: string): Promise<Person | undefined>;
  acceptInvitation(code: string, address: string): Promise<Person | undefined>;
  guard: Pick<Guard, "countPage">;
}

const maxCodeLength = 100;

/** How people sign in to the console and out of it. The console asks who has signed in; `/api/v1` knows none of this. */
export function registerPeoplePages(
  app: FastifyInstance,
  { sessions, findInvited, acceptInvitation, guard }: PeoplePagesDeps,
): void {
  const onRequest = countPages(guard);
  app.register(async (scope) => {
    // A form without fields.
    scope.addContentTypeParser("application/x-www-form-urlencoded", (_request, payload, done) => {
      payload.resume();
      payload.on("end", () => done(null, undefined));
      payload.on("error", done);
    });
    const route = "/invite/:code";
    scope.get<{ Params: { code: string } }>(route, { onRequest }, async ({ params }, reply) => {
      const person = params.code.length > maxCodeLength ? undefined : await findInvited(params.code);
      return person === undefined ? sendUsed(reply) : sendInvitation(reply, person);
    });
    // Signs in by a button: programs that open the links in mails use none of them up.
    scope.post<{ Params: { code: string } }>(
      route,
      { onRequest, bodyLimit: 1024 },
      async (request, reply) => {
        // Another page could sign its visitors in as somebody else.
        sessions.assertOwnPage(request);
        const { code } = request.params;
        const person =
          code.length > maxCodeLength ? undefined : await acceptInvitation(code, clientAddress(request));
        if (person === undefined) return sendUsed(reply);
        sessions.begin(reply, person);
        return reply.redirect("/", 303);
      },
    );
  });
  app.get("/console/session", { onRequest }, async (request, reply) => {
    reply.header("cache-control", "no-store");
    try {
      const { person, scopes, id } = await sessions.authenticate(request);
      return { name: person, scopes, ...(id.startsWith(proxyPrefix) && { isByProxy: true }) };
    } catch (error) {
      // Most visitors have none: that is no error of the page.
      if (error instanceof ApiError && error.code === "unauthorized") return {};
      throw error;
    }
  });
  app.post("/console/sign-out", { onRequest, bodyLimit: 1024 }, async (request, reply) => {
    await sessions.authenticate(request);
    sessions.end(reply);
    return reply.code(204).send();
  });
}

function sendInvitation(reply: FastifyReply, { name }: Person): FastifyReply {
  return sendPage(
    reply,
    200,
    `Welcome, ${name}`,
    `<p>You are invited to the console of the product search. This link works once.</p>
<form method="post"><button autofocus>Sign in as ${escapeHtml(name)}</button></form>`,
  );
}

function sendUsed(reply: FastifyReply): FastifyReply {
  const text = "It was used already, or has expired. Ask whoever sent it for another one.";
  return sendPage(reply, 404, "This invitation is not valid", `<p>${text}</p>`);
}

function sendPage(reply: FastifyReply, status: number, title: string, content: string): FastifyReply {
  return (
    reply
      .code(status)
      .type("text/html; charset=utf-8")
      .header("cache-control", "no-store")
      // Without a referrer, browsers do not name the page's origin with the form.
      .header("referrer-policy", "same-origin")
      .header(
        "content-security-policy",
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      .send(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:15vh auto;padding:0 1rem}
button{font:inherit;padding:.6rem 1.2rem;border-radius:.5rem;border:0;background:#1c5fd4;color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid #8ab4f8;outline-offset:2px}</style>
<main><h1>${escapeHtml(title)}</h1>${content}</main></html>`)
  );
}
