import type { DetectedObject } from "@product-search/client";
import { type PointerEvent, useRef, useState } from "react";
import type { Box, Size } from "../../service/image/images.ts";

interface ImageWithBoxesProps {
  address: string;
  size: Size;
  objects: readonly DetectedObject[];
  chosen: Box | undefined;
  onChoose: (slug: string, box: Box) => void;
  onDraw: (box: Box) => void;
}

const smallestBox = 12;

/** The image with a button over each object; dragging draws a box of one's own. All in pixels of the image. */
export function ImageWithBoxes({ address, size, objects, chosen, onChoose, onDraw }: ImageWithBoxesProps) {
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
            {objectName} {Math.round(confidence * 100)} %
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
