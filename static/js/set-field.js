// @ts-check
// Sets a form's field by its name, whatever kind of control stands behind it.

const OFF = ["", "false", "0", "off"];

/**
 * Put a value into whatever the form calls by this name, and say so with a "lab:set" event.
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {string} value
 */
export function setField(form, name, value) {
  const found = form.elements.namedItem(name);
  const fields = found instanceof RadioNodeList ? [...found] : found ? [found] : [];
  for (const field of fields) {
    if (field instanceof HTMLInputElement && field.type === "radio") field.checked = field.value === value;
    else if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = field.value === "true" ? !OFF.includes(value) : value.split(",").includes(field.value);
    else if (fields.length === 1 && field instanceof HTMLElement && "value" in field) field.value = value;
    if (field instanceof Element) field.dispatchEvent(new Event("lab:set", { bubbles: true }));
  }
}
