/** Small letters without accents, for comparing and for addresses: "Crème brûlée" becomes "creme brulee". */
export function foldAccents(text: string): string {
  // Most product text is ASCII, where normalising would only cost time.
  if (isAscii.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(combiningMarks, "")
    .toLowerCase()
    .replace(/ß/g, "ss")
    .replace(/ı/g, "i");
}

const isAscii = /^[ -~]*$/;
const combiningMarks = /\p{M}+/gu;
