import type { DetectedObject, SearchByImageResponse } from "@product-search/client";
import { type PointerEvent, useEffect, useRef, useState } from "react";
import { formatPercent } from "../../service/format.ts";
import { type Box, cut, type ProductImage, type Size } from "../../service/image/images.ts";
import { useService } from "../../service/service-context.tsx";
import type { RequestSnippet } from "../../service/snippets.ts";
import { useRequest } from "../../service/use-request.ts";
import { DeveloperPanel } from "../developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../notice.tsx";
import { ProductCard } from "../product/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../product/product-grid.tsx";

const smallestBox = 12;

/** What to look for: the whole image, a detected object, or a part that was drawn. */
type Target = { kind: "whole" } | { kind: "object"; slug: string; box: Box } | { kind: "drawn"; box: Box };

/** The image with its objects on one side, what is similar to it or to a part of it on the other. */
export function ImageResults({ image }: { image: ProductImage }) {
  const { client, token } = useService();
  const [target, setTarget] = useState<Target>({ kind: "whole" });
  /** What somebody said that the target is not. */
  const [without, setWithout] = useState<readonly string[]>([]);
  const aimAt = (next: Target) => {
    setTarget(next);
    setWithout([]);
  };
  const search = useRequest(JSON.stringify([token, target, without]), async (signal) => {
    const slug = await slugOf(target, signal);
    const query = { imageId: slug, ...(without.length > 0 && { withoutCategories: without }) };
    return { slug, ...(await client.searchByImage(query, { signal })) };
  });
  async function slugOf(aim: Target, signal: AbortSignal): Promise<string> {
    if (aim.kind === "object") return aim.slug;
    const part = aim.kind === "drawn" ? await cut(image.blob, aim.box) : image.blob;
    return (await client.vectorizeImage(part, { signal })).slug;
  }
  // What was pressed to choose the image is gone.
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const objects = useRequest(token, (signal) => client.detectObjects(image.blob, { signal }));

  return (
    <div className="image-layout">
      <section aria-labelledby="image-title">
        <h2 id="image-title" tabIndex={-1} ref={heading}>
          Your image
        </h2>
        {image.size ? (
          <ImageWithBoxes
            address={image.address}
            size={image.size}
            objects={objects.response?.detectedObjects ?? []}
            chosen={target.kind === "whole" ? undefined : target.box}
            onChoose={(slug, box) => aimAt({ kind: "object", slug, box })}
            onDraw={(box) => aimAt({ kind: "drawn", box })}
          />
        ) : (
          <p className="muted">This browser cannot show the file.</p>
        )}
        <p className="muted small-text image-hint" role="status">
          {objects.phase === "loading" && "Detecting objects…"}
          {objects.phase === "done" &&
            (objects.response.detectedObjects.length === 0
              ? "No objects detected. Draw a box around the object to search for."
              : "Select a box, or draw one around the object to search for.")}
        </p>
        {target.kind !== "whole" && (
          <button type="button" onClick={() => aimAt({ kind: "whole" })}>
            Search with the whole image
          </button>
        )}
        {/* An image that is refused is refused once, not twice. */}
        {objects.phase === "failed" && search.phase === "done" && (
          <ErrorNotice error={objects.error} onRetry={objects.retry} />
        )}
      </section>
      <section aria-labelledby="similar-title">
        <h2 id="similar-title">Similar products</h2>
        <DeveloperPanel requests={requestsFor(search.response?.slug)} />
        {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
        {search.phase === "loading" && !search.response && <ProductGridSkeleton count={4} />}
        {search.response && (
          <SimilarImages
            response={search.response}
            without={without}
            isBusy={search.phase === "loading"}
            onWithout={setWithout}
          />
        )}
      </section>
    </div>
  );
}

interface SimilarImagesProps {
  response: SearchByImageResponse;
  without: readonly string[];
  isBusy: boolean;
  onWithout: (categories: readonly string[]) => void;
}

/** What the image shows, what looks like it, and apart from that what comes closest. */
function SimilarImages({ response, without, isBusy, onWithout }: SimilarImagesProps) {
  const { Products, categories = [], closest = [] } = response;
  return (
    <>
      {(categories.length > 0 || without.length > 0) && (
        <div className="recognised row">
          {categories.length > 0 && <p>Looks like:</p>}
          <ul className="chips">
            {categories.map((category) => (
              <li key={category}>
                <button
                  type="button"
                  className="chip removable"
                  onClick={() => onWithout([...without, category])}
                >
                  <span className="visually-hidden">It is not: </span>
                  <span dir="auto">{category}</span>
                </button>
              </li>
            ))}
          </ul>
          {without.length > 0 && (
            <p className="muted">
              Not: {without.join(", ")}{" "}
              <button type="button" className="link bare" onClick={() => onWithout([])}>
                Undo
              </button>
            </p>
          )}
        </div>
      )}
      {Products.length > 0 ? (
        <>
          <ProductGrid busy={isBusy}>
            {Products.map((product) => (
              <ProductCard key={product._id} product={product} />
            ))}
          </ProductGrid>
          <p className="muted center">{endText(Products.length)}</p>
        </>
      ) : (
        <EmptyNotice title="Nothing looks like this">
          <p>{closest.length > 0 ? "These come closest." : "Select another part of the image."}</p>
        </EmptyNotice>
      )}
      {closest.length > 0 && (
        <section aria-labelledby="closest">
          <h2 id="closest" className="section-title">
            The closest we have
          </h2>
          <ProductGrid busy={isBusy && Products.length === 0}>
            {closest.map((product) => (
              <ProductCard key={product._id} product={product} />
            ))}
          </ProductGrid>
        </section>
      )}
    </>
  );
}

/** As many as the service returns at most. */
const maxSimilar = 50;

function endText(count: number): string {
  if (count >= maxSimilar) return `The ${maxSimilar} most similar products.`;
  return `${count} ${count === 1 ? "product looks" : "products look"} similar. All others look different.`;
}

function requestsFor(slug = "img_…"): [RequestSnippet, ...RequestSnippet[]] {
  const send = { method: "POST", sendsImage: true, needsToken: true } as const;
  const file = 'await readFile("image.jpg")';
  return [
    { ...send, title: "Step 1: upload the image", path: "/vectorize-image", call: `vectorizeImage(${file})` },
    {
      title: "Step 2: search for similar products",
      method: "GET",
      path: "/search",
      query: { imageId: slug },
      needsToken: true,
      call: `searchByImage(${JSON.stringify({ imageId: slug })})`,
    },
    { ...send, title: "Detect objects", path: "/detect-objects", call: `detectObjects(${file})` },
  ];
}

interface ImageWithBoxesProps {
  address: string;
  size: Size;
  objects: readonly DetectedObject[];
  chosen: Box | undefined;
  onChoose: (slug: string, box: Box) => void;
  onDraw: (box: Box) => void;
}

/** The image with a button over each object; dragging draws a box of one's own. All in pixels of the image. */
function ImageWithBoxes({ address, size, objects, chosen, onChoose, onDraw }: ImageWithBoxesProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<{ from: Point; to: Point }>();

  const pointOf = (event: PointerEvent): Point => {
    const bounds = frame.current?.getBoundingClientRect();
    if (!bounds) return { x: 0, y: 0 };
    const clamp = (value: number, most: number) => Math.min(most, Math.max(0, Math.round(value)));
    return {
      x: clamp(((event.clientX - bounds.left) / bounds.width) * size.width, size.width),
      y: clamp(((event.clientY - bounds.top) / bounds.height) * size.height, size.height),
    };
  };
  const finish = () => {
    if (!drawing) return;
    const box = boxBetween(drawing.from, drawing.to);
    setDrawing(undefined);
    if (box.width >= smallestBox && box.height >= smallestBox) onDraw(box);
  };
  const place = (box: Box) => ({
    left: `${(box.x / size.width) * 100}%`,
    top: `${(box.y / size.height) * 100}%`,
    width: `${(box.width / size.width) * 100}%`,
    height: `${(box.height / size.height) * 100}%`,
  });
  return (
    <div
      ref={frame}
      className="image-with-boxes"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        const from = pointOf(event);
        setDrawing({ from, to: from });
      }}
      onPointerMove={(event) => drawing && setDrawing({ ...drawing, to: pointOf(event) })}
      onPointerUp={finish}
      onPointerLeave={finish}
    >
      <img src={address} alt="Your upload" width={size.width} height={size.height} draggable={false} />
      {objects.map(({ slug, objectName, confidence, dimensions }) => (
        <button
          key={slug}
          type="button"
          className={sameBox(chosen, dimensions) ? "box chosen" : "box"}
          style={place(dimensions)}
          onClick={() => onChoose(slug, dimensions)}
        >
          <span>
            {objectName} {formatPercent(confidence * 100)}
          </span>
        </button>
      ))}
      {drawing && <div className="box drawn" style={place(boxBetween(drawing.from, drawing.to))} />}
      {!drawing && chosen && !objects.some(({ dimensions }) => sameBox(chosen, dimensions)) && (
        <div className="box drawn chosen" style={place(chosen)} />
      )}
    </div>
  );
}

interface Point {
  x: number;
  y: number;
}

function boxBetween(one: Point, other: Point): Box {
  return {
    x: Math.min(one.x, other.x),
    y: Math.min(one.y, other.y),
    width: Math.abs(one.x - other.x),
    height: Math.abs(one.y - other.y),
  };
}

function sameBox(one: Box | undefined, other: Box): boolean {
  return (
    one !== undefined &&
    one.x === other.x &&
    one.y === other.y &&
    one.width === other.width &&
    one.height === other.height
  );
}
