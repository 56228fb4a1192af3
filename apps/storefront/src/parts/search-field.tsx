import { useEffect, useId, useRef, useState } from "react";
import { useSearchBox } from "react-instantsearch";
import { goTo, hrefOf, priceText, shop, useRequest } from "../shop.ts";

interface Offer {
  key: string;
  text: string;
  detail?: string;
  image?: string;
  choose(): void;
}

/** Search as you type, with queries and products in a list below the field: the pattern of an editable combobox. */
export function SearchField() {
  const { query, refine } = useSearchBox();
  const [text, setText] = useState(query);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => setText(query), [query]);
  const typed = isOpen && text.trim() !== "" ? text.trim() : undefined;
  const { result } = useRequest(typed, (signal) => shop.client.suggest({ q: typed ?? "" }, { signal }));

  const search = (words: string) => {
    setText(words);
    setOpen(false);
    setActive(-1);
    refine(words);
  };
  const offers: Offer[] = [
    ...(result?.queries ?? [])
      .slice(0, 6)
      .map((words) => ({ key: `q ${words}`, text: words, choose: () => search(words) })),
    ...(result?.Products ?? []).slice(0, 4).map(({ _id, name, price, images: [image] }) => ({
      key: _id,
      text: name,
      detail: priceText(price),
      ...(image !== undefined && { image }),
      choose: () => goTo(hrefOf(`/products/${encodeURIComponent(_id)}`)),
    })),
  ];
  const isShown = isOpen && offers.length > 0;
  const move = (step: number) => {
    const places = offers.length + 1;
    setActive((place) => ((place + 1 + step + places) % places) - 1);
  };
  return (
    <search>
      <form
        ref={form}
        className="search"
        onSubmit={(event) => {
          event.preventDefault();
          search(text);
        }}
        onBlur={({ relatedTarget }) => {
          if (!form.current?.contains(relatedTarget)) setOpen(false);
        }}
      >
        <input
          type="search"
          role="combobox"
          aria-label="Search all products"
          aria-expanded={isShown}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
          placeholder="Search all products"
          autoComplete="off"
          maxLength={100}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setOpen(true);
            setActive(-1);
            refine(target.value);
          }}
          onFocus={() => setOpen(true)}
          onKeyDown={(event) => {
            if (!isShown) return event.key === "ArrowDown" ? setOpen(true) : undefined;
            if (event.key === "ArrowDown" || event.key === "ArrowUp") {
              event.preventDefault();
              move(event.key === "ArrowDown" ? 1 : -1);
            } else if (event.key === "Enter" && active >= 0) {
              event.preventDefault();
              offers[active]?.choose();
            } else if (event.key === "Escape") {
              // The first Escape closes the list, the next one empties the field.
              event.preventDefault();
              setOpen(false);
            }
          }}
        />
        <div id={`${id}-list`} role="listbox" aria-label="Suggestions" hidden={!isShown} className="offers">
          {offers.map(({ key, text: label, detail, image, choose }, place) => (
            <div
              key={key}
              id={`${id}-${place}`}
              role="option"
              tabIndex={-1}
              aria-selected={place === active}
              // The field keeps the focus.
              onMouseDown={(event) => {
                event.preventDefault();
                choose();
              }}
            >
              {image !== undefined && <img src={image} alt="" width="40" height="40" />}
              <span>{label}</span>
              {detail !== undefined && <span className="detail">{detail}</span>}
            </div>
          ))}
        </div>
      </form>
    </search>
  );
}
