import { type DragEvent, useEffect, useRef, useState } from "react";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { PictureWithBoxes } from "../parts/picture-with-boxes.tsx";
import { ProductCard } from "../parts/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../parts/product-grid.tsx";
import { type Box, cut, fitForUpload } from "../service/pictures.ts";
import { useService } from "../service/service-context.tsx";
import { useRequest } from "../service/use-request.ts";

interface Picture {
  blob: Blob;
  address: string;
}

/** What to look for: the whole picture, a detected object, or a part that was drawn. */
type Target = { kind: "whole" } | { kind: "object"; slug: string; box: Box } | { kind: "drawn"; box: Box };

/** Image search: drop, paste, choose or take a picture; click an object or draw a box. */
export function ImageScreen() {
  const [picture, setPicture] = useState<Picture>();
  const [problem, setProblem] = useState<unknown>();

  async function take(file: Blob | null | undefined) {
    if (!file) return;
    setProblem(undefined);
    try {
      const blob = await fitForUpload(file);
      setPicture({ blob, address: URL.createObjectURL(blob) });
    } catch (error) {
      setProblem(error);
    }
  }

  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const file = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
      if (file) void take(file);
    };
    addEventListener("paste", onPaste);
    return () => removeEventListener("paste", onPaste);
  });
  useEffect(() => () => URL.revokeObjectURL(picture?.address ?? ""), [picture]);

  return (
    <>
      <section className="hero">
        <h1>Find what is in a picture</h1>
        <DropZone onFile={take} />
      </section>
      {problem !== undefined && <ErrorNotice error={problem} onRetry={() => setProblem(undefined)} />}
      {picture && <PictureResults key={picture.address} picture={picture} />}
    </>
  );
}

function DropZone({ onFile }: { onFile: (file: Blob | null | undefined) => void }) {
  const [over, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFile(event.dataTransfer.files[0]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the buttons inside do the same by keyboard.
    <div
      className={over ? "drop-zone over" : "drop-zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>Drop a picture here, paste one, or</p>
      <div className="row center">
        <button type="button" className="primary" onClick={() => chooser.current?.click()}>
          Choose a picture
        </button>
        <button type="button" onClick={() => camera.current?.click()}>
          Take one
        </button>
      </div>
      <p className="hint">JPEG, PNG, WebP, AVIF or GIF. Large ones are made smaller before they are sent.</p>
      <input
        ref={chooser}
        type="file"
        hidden
        accept="image/*"
        aria-label="Picture file"
        onChange={(event) => onFile(event.target.files?.[0])}
      />
      <input
        ref={camera}
        type="file"
        hidden
        accept="image/*"
        capture="environment"
        aria-label="Camera"
        onChange={(event) => onFile(event.target.files?.[0])}
      />
    </div>
  );
}

function PictureResults({ picture }: { picture: Picture }) {
  const { client, token } = useService();
  const [target, setTarget] = useState<Target>({ kind: "whole" });
  const objects = useRequest(token, (signal) => client.detectObjects(picture.blob, { signal }));
  const search = useRequest(`${token} ${JSON.stringify(target)}`, async (signal) => {
    if (target.kind === "object") return client.searchByImage({ imageId: target.slug }, { signal });
    const part = target.kind === "drawn" ? await cut(picture.blob, target.box) : picture.blob;
    return client.searchByImage(part, { signal });
  });

  return (
    <div className="picture-layout">
      <section aria-labelledby="picture-title">
        <h2 id="picture-title">Your picture</h2>
        <PictureWithBoxes
          address={picture.address}
          objects={objects.answer?.detectedObjects ?? []}
          chosen={target.kind === "whole" ? undefined : target.box}
          onChoose={(slug, box) => setTarget({ kind: "object", slug, box })}
          onDraw={(box) => setTarget({ kind: "drawn", box })}
        />
        <p className="muted small-text" role="status">
          {objects.phase === "loading" && "Looking for objects…"}
          {objects.phase === "done" &&
            (objects.answer.detectedObjects.length === 0
              ? "Nothing stands out. Draw a box around what you mean."
              : "Click a box, or draw your own around what you mean.")}
        </p>
        {target.kind !== "whole" && (
          <button type="button" onClick={() => setTarget({ kind: "whole" })}>
            Search with the whole picture
          </button>
        )}
        {objects.phase === "failed" && search.phase !== "failed" && (
          <ErrorNotice error={objects.error} onRetry={objects.retry} />
        )}
      </section>
      <section aria-labelledby="similar-title">
        <h2 id="similar-title">Similar products</h2>
        {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
        {search.phase === "loading" && !search.answer && <ProductGridSkeleton count={4} />}
        {search.answer?.Products.length === 0 && (
          <EmptyNotice title="Nothing in the catalog looks like this">
            <p>Try another part of the picture.</p>
          </EmptyNotice>
        )}
        {search.answer && (
          <ProductGrid busy={search.phase === "loading"}>
            {search.answer.Products.map((product) => (
              <ProductCard key={product._id} product={product} />
            ))}
          </ProductGrid>
        )}
        <DeveloperPanel
          request={{
            method: "POST",
            path: "/vectorize-image",
            body: { base64String: "$(base64 -w0 picture.jpg)" },
            needsToken: true,
            call: 'searchByImage(await readFile("picture.jpg"))',
          }}
        />
      </section>
    </div>
  );
}
