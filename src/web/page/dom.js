// @ts-check
// Elements made from values. Text is always text: nothing here reads markup.

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined | Record<string, string> | ((event: any) => void)>} Attributes
 */

/**
 * @param {Element} element
 * @param {Attributes} attributes
 * @param {(Child | Child[])[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else if (typeof value === 'object' && value !== null) {
      Object.assign(/** @type {any} */ (element)[name], value);  // style, property by property: the page allows no other
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes] functions become listeners of the event of that name
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/**
 * Tells a screen reader.
 * @param {string} text
 */
export function say(text) {
  const said = document.getElementById('said');
  if (said) {
    said.textContent = text;
  }
}

/**
 * A panel with a heading and, if there is data, a button that saves it as JSON.
 * @param {string} title
 * @param {string} id
 * @param {(() => unknown) | null} data
 * @param {...Child} children
 */
export function panel(title, id, data, ...children) {
  const save = data && el('button', {
    type: 'button', class: 'plain', title: `Save the data of "${title}" as JSON`,
    click: () => save_file(`${id}.json`, JSON.stringify(data(), null, 1)),
  }, 'JSON');
  return el('section', {id, 'aria-labelledby': `${id}-title`},
    el('div', {class: 'heading'}, el('h2', {id: `${id}-title`}, title), save), children);
}

/**
 * @param {string} name
 * @param {string} text
 */
export function save_file(name, text) {
  const address = URL.createObjectURL(new Blob([text], {type: 'application/octet-stream'}));
  const link = el('a', {href: address, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/**
 * A button that copies a command.
 * @param {string} command
 */
export function command_line(command) {
  const button = el('button', {
    type: 'button', class: 'plain',
    click: async () => {
      try {
        await navigator.clipboard.writeText(command);
        button.textContent = 'Copied';
      } catch {
        getSelection()?.selectAllChildren(code);
        button.textContent = 'Selected';
      }
      say(button.textContent);
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    },
  }, 'Copy');
  const code = el('code', {}, command);
  return el('div', {class: 'command'}, code, button);
}

/**
 * Takes over new children in place of those made before; what would look the same stays as the reader has it now.
 * The focus goes to the element with the same id.
 * @param {Element} place
 * @param {(Node | string)[]} children
 * @param {string[]} before how the last children looked
 * @returns {string[]} how these look
 */
export function replace_changed(place, children, before) {
  const looks = children.map((child) => child instanceof Element ? child.outerHTML : String(child));
  const focused = place.contains(document.activeElement) ? document.activeElement?.id : '';
  const old = Array.from(place.childNodes);
  children.forEach((child, i) => {
    if (i >= old.length) {
      place.append(child);
    } else if (looks[i] !== before[i]) {
      old[i].replaceWith(child);
    }
  });
  old.slice(children.length).forEach((child) => child.remove());
  if (focused && document.activeElement?.id !== focused) {
    document.getElementById(focused)?.focus({preventScroll: true});
  }
  return looks;
}
