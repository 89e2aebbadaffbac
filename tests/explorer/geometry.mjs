// The geometry of the picture, from the elements on the page. Lines are followed in steps of three pixels of the drawing.

/**
 * What is wrong with the picture that the page shows, in words, and how much was looked at.
 * @param {number} every of many lines only each so many-th is followed: the browser takes milliseconds for one
 */
export const faultsOf = (page, every = 1) =>
  page.evaluate((step) => {
    const faults = [];
    const drawing = document.querySelector('#picture .drawing');
    const zoom = drawing.firstElementChild.getCTM().a;
    const boxOf = (element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      return { left, top, right, bottom };
    };
    // A label has a margin in the colour of the ground, which Firefox counts as part of its box.
    const textBoxOf = (text) => {
      const { x, y, width, height } = text.getBBox();
      const from = new DOMPoint(x, y).matrixTransform(text.getScreenCTM());
      return { left: from.x, top: from.y, right: from.x + width * zoom, bottom: from.y + height * zoom };
    };
    const cards = [...drawing.querySelectorAll('.card')].map((card) => ({
      id: card.dataset.id,
      card,
      ...boxOf(card.querySelector('.box')),
    }));
    for (const each of cards) {
      const boxes = [...each.card.querySelectorAll('.box')].map(boxOf);
      each.left = Math.min(...boxes.map(({ left }) => left));
      each.top = Math.min(...boxes.map(({ top }) => top));
      each.right = Math.max(...boxes.map(({ right }) => right));
      each.bottom = Math.max(...boxes.map(({ bottom }) => bottom));
    }
    const touch = (p, q, by = 0) =>
      p.left < q.right - by && q.left < p.right - by && p.top < q.bottom - by && q.top < p.bottom - by;
    for (const [i, p] of cards.entries())
      for (const q of cards.slice(0, i)) if (touch(p, q, 0.5)) faults.push(`${p.id} covers ${q.id}`);

    const byId = new Map(cards.map((card) => [card.id, card]));
    const lines = [...drawing.querySelectorAll('.edge')].filter((_, i) => i % step === 0);
    const place = drawing.firstElementChild.getScreenCTM();
    for (const line of lines) {
      const path = line.querySelector('.wire');
      const own = line.dataset.ends.split('\n');
      const room = boxOf(path);
      const near = cards.filter((card) => !own.includes(card.id) && touch(card, room));
      const length = path.getTotalLength();
      const steps = Math.ceil(length / 3);
      for (let k = 0; near.length > 0 && k <= steps; k++) {
        const at = path.getPointAtLength((length * k) / steps).matrixTransform(place);
        // Half a pixel, because the browser rounds boxes.
        const hit = near.find(
          ({ left, right, top, bottom }) =>
            at.x > left + 0.5 && at.x < right - 0.5 && at.y > top + 0.5 && at.y < bottom - 0.5,
        );
        if (hit) {
          faults.push(`${line.dataset.id} passes through ${hit.id}`);
          break;
        }
      }
      // A line meets its own cards at their sides only.
      for (const [share, id] of [
        [0, own[0]],
        [1, own[1]],
      ]) {
        const at = path.getPointAtLength(length * share).matrixTransform(place);
        const card = byId.get(id);
        const slack = 8 * zoom + 2;
        const isNear =
          at.x > card.left - slack &&
          at.x < card.right + slack &&
          at.y > card.top - slack &&
          at.y < card.bottom + slack;
        if (!isNear) faults.push(`${line.dataset.id} does not meet ${id}`);
      }
    }
    const labels = [...drawing.querySelectorAll('.label, text.step')]
      .filter((label) => label.getBoundingClientRect().width > 0)
      .map((label) => ({ id: label.textContent, ...textBoxOf(label) }));
    for (const [i, label] of labels.entries()) {
      for (const card of cards) if (touch(label, card, 1)) faults.push(`label ${label.id} covers ${card.id}`);
      for (const other of labels.slice(0, i))
        if (touch(label, other, 2)) faults.push(`label ${label.id} covers ${other.id}`);
    }
    for (const { id, card, ...box } of cards) {
      const tabs = [...card.querySelectorAll('.tab rect')].map(boxOf);
      for (const tab of card.querySelectorAll('.tab')) {
        const [frame, count] = ['rect', 'text'].map((each) => boxOf(tab.querySelector(each)));
        if (count.left < frame.left - 1 || count.right > frame.right + 1) faults.push(`${tab.textContent} leaves its frame in ${id}`);
      }
      // From far away a card has no texts.
      const texts = [...card.querySelectorAll(':scope > text')]
        .map((text) => ({ text: text.textContent, y: text.getAttribute('y'), ...boxOf(text) }))
        .filter(({ left, right }) => right > left);
      for (const tab of tabs)
        for (const text of texts) if (touch(tab, text, 1)) faults.push(`a count covers "${text.text}" of ${id}`);
      for (const [i, text] of texts.entries())
        for (const other of texts.slice(0, i))
          if (text.y === other.y && touch(text, other, 2))
            faults.push(`"${text.text}" covers "${other.text}" of ${id}`);
      for (const text of texts)
        if (text.right > box.right + 2 || text.left < box.left - 1 || text.bottom > box.bottom + 2)
          faults.push(`"${text.text}" leaves ${id}`);
    }
    return { faults: faults.slice(0, 20), cards: cards.length, lines: lines.length };
  }, every);
