// @ts-check
// redact: what must not leave the page. The value of a sensitive field, and the text of what the page or the
// caller marked, are replaced here, at the source, before anything else can see them.

const REDACTED = "[redacted]";

/** Elements that the caller declared sensitive. @type {WeakSet<Element>} */
const declared = new WeakSet();
let anyDeclared = false, declaredCount = 0;

/** What marks an element in the page. */
const MARKED = "[data-deed-sensitive],[data-ap-sensitive]";
/** Inputs that were of type password at some time: showing what was typed does not make it public. @type {WeakSet<Element>} */
const oncePassword = new WeakSet();

/**
 * declareSensitive says that what this element holds is secret, whatever it looks like.
 * @param {number} id
 */
function declareSensitive(id) {
  const el = elementOf(id);
  if (el) {
    declared.add(el);
    anyDeclared = true;
    declaredCount++;
  }
}

const typeWatcher = new MutationObserver((records) => {
  for (const r of records) if ((r.oldValue || "").toLowerCase() === "password") oncePassword.add(/** @type {Element} */ (r.target));
});

/**
 * Remembers inputs whose type is changed away from password.
 * @param {Node} root
 */
function watchTypesIn(root) {
  typeWatcher.observe(root, { subtree: true, attributes: true, attributeFilter: ["type"], attributeOldValue: true });
}
watchTypesIn(document);

/**
 * Whether the page or the caller marked this very element.
 * @param {Element} el
 * @returns {boolean}
 */
function isMarked(el) {
  if (memo !== null && !memo.marks) return false;
  return (hasAttr(el, "data-deed-sensitive") && attr(el, "data-deed-sensitive") !== "false") ||
    (hasAttr(el, "data-ap-sensitive") && attr(el, "data-ap-sensitive") !== "false") || declared.has(el);
}

/**
 * Whether the element or something around it is marked.
 * @param {Element|null} el
 * @returns {boolean}
 */
function isMarkedAround(el) {
  if (memo !== null && !memo.marks) return false;
  for (let p = el; p; p = flatParent(p)) if (isMarked(p)) return true;
  return false;
}

/** Controls keep their name when only something around them is marked: a person needs it to find them. */
const EXEMPT_ROLES = new Set(["button", "checkbox", "combobox", "link", "listbox", "menuitem", "menuitemcheckbox",
  "menuitemradio", "radio", "searchbox", "slider", "spinbutton", "switch", "tab", "textbox"]);
/** The same for the words beside a control. */
const EXEMPT_TAGS = new Set(["label", "legend"]);

/**
 * Whether the text that an element shows must not be told.
 * @param {Element} el
 * @param {string} role
 * @returns {boolean}
 */
function hidesOwnText(el, role) {
  if (isMarked(el)) return true;
  if (EXEMPT_ROLES.has(role)) return false;
  return isMarkedAround(flatParent(el));
}

/**
 * Whether a name that the author gave must not be told: attributes of what is marked, but not of controls.
 * @param {Element} el
 * @param {string} role
 * @returns {boolean}
 */
function hidesGiven(el, role) {
  return !EXEMPT_ROLES.has(role) && isMarkedAround(el);
}

/**
 * Whether text taken from this element for the name of another must not be told.
 * @param {Element} el
 * @returns {boolean}
 */
function isMaskedSource(el) {
  if (isMarked(el)) return true;
  if (EXEMPT_TAGS.has(localOf(el)) || EXEMPT_ROLES.has(roleOf(el))) return false;
  return isMarkedAround(flatParent(el));
}

/** What stands for a text that must not be told. @param {string} text */
function masked(text) {
  return hasText(text) ? REDACTED : "";
}

const SECRET_AUTOCOMPLETE = /^(one-time-code|(current|new)-password|cc-(number|csc|exp|exp-month|exp-year|name|given-name|additional-name|family-name))$/;

/** Words that say a field holds a secret, in the languages of the large sites. */
const SECRET_WORDS = new RegExp("(?<![\\p{L}\\p{N}])(?:" + [
  // card number
  "(credit |debit )?card (number|no|num|nr)", "cc ?(number|num|no)", "pan", "karten ?nummer", "kreditkarten ?nummer", "n[uú]mero de (la )?tarjeta",
  "num[eé]ro de (la )?carte", "numero (di|della) carta", "n[uú]mero do cart[aã]o", "kaart ?nummer", "kort ?nummer",
  "numer karty", "номер карты", "卡号", "信用卡号码?", "カード番号", "카드 ?번호",
  // security code
  "security (code|number)", "card (verification|security)( (code|value|number))?", "cvc2?", "cvv2?", "csc",
  "sicherheits ?code", "kartenpr[uü]f(nummer|ziffer)", "pr[uü]f(nummer|ziffer)", "c[oó]digo de seguran[cç]a", "c[oó]digo de seguridad",
  "code de s[eé]curit[eé]", "cryptogramme( visuel)?", "codice di sicurezza", "beveiligingscode", "安全码", "セキュリティ ?コード", "보안 ?코드",
  // one-time code
  "one[ -]?time[ -]?(code|password|passcode|pin)", "otp", "totp", "mfa( code)?", "2fa( code)?", "(verification|authentication|confirmation|sms|login|sign[ -]in|access|backup|recovery|two[ -]factor) code",
  "authenticator code", "einmal ?(code|passwort|kennwort)", "best[aä]tigungs ?code", "verifizierungs ?code", "tan", "sms[ -]?tan",
  "c[oó]digo de (verificaci[oó]n|verifica[cç][aã]o|confirmaci[oó]n|un solo uso|acceso)", "code de (v[eé]rification|confirmation)", "code [aà] usage unique",
  "codice di verifica", "verificatiecode", "verifieringskod", "kod weryfikacyjny", "код (подтверждения|из смс)", "验证码", "認証コード", "確認コード", "인증 ?(번호|코드)",
  // password, pin
  "pass ?(word|code|phrase|wd)", "pwd", "passwort", "kennwort", "contrase[nñ]a", "mot de passe", "senha", "palavra[ -]passe", "parola( d'ordine)?", "wachtwoord",
  "l[oö]senord", "adgangskode", "passord", "salasana", "has[lł]o", "heslo", "jelsz[oó]", "[sş]ifre", "parola", "пароль", "密码", "密碼", "パスワード", "暗証番号", "비밀번호", "كلمة (المرور|السر)", "סיסמה",
  "pin", "pin ?(code|number|nummer)", "mpin",
  // account and machine secrets
  "iban", "ssn", "social security( (number|no))?", "sozialversicherungs ?nummer", "(api|access|secret|private|encryption|license|signing) ?key", "api ?secret", "(access |auth |api |bearer |refresh |personal access )?token", "(client |shared |webhook )?secret", "seed phrase", "recovery (phrase|key)",
].join("|") + ")(?![\\p{L}\\p{N}])", "iu");

/** An identifier as words: cardNumber, card_number and card-number are "card number". @param {string} id */
function words(id) {
  return id.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").replace(/[-_.:[\]/]+/g, " ");
}

/** Roles that hold text which a person types. */
const TYPED = new Set(["textbox", "searchbox", "combobox", "spinbutton"]);

/**
 * Whether what the element holds must not leave the page.
 * @param {Element} el
 * @param {string} [role] if known
 * @param {string} [name] if known
 * @returns {boolean}
 */
function isSensitive(el, role, name) {
  return isMarkedAround(el) || isSecretField(el, role === undefined ? roleOf(el) : role, name);
}

/**
 * Whether the element is a field for a secret, marks apart.
 * @param {Element} el
 * @param {string} role
 * @param {string} [name] if known
 * @returns {boolean}
 */
function isSecretField(el, role, name) {
  const tag = localOf(el);
  if (tag === "input") {
    for (const r of typeWatcher.takeRecords()) if ((r.oldValue || "").toLowerCase() === "password") oncePassword.add(/** @type {Element} */ (r.target));
    if (typeOfInput(el) === "password") { oncePassword.add(el); return true; }
    if (oncePassword.has(el)) return true;
  }
  if (!TYPED.has(role)) return false;
  const complete = attr(el, "autocomplete");
  if (complete) {
    for (const token of complete.toLowerCase().trim().split(/\s+/)) {
      // On a field that offers a list, pages write new-password only to keep the browser's own suggestions away.
      if (SECRET_AUTOCOMPLETE.test(token) && !(role === "combobox" && token === "new-password")) return true;
    }
  }
  for (const at of ["name", "id", "placeholder", "aria-label"]) {
    const v = attr(el, at);
    if (v && SECRET_WORDS.test(words(v))) return true;
  }
  const called = name === undefined ? nameAs(el, role) : name;
  return called !== "" && SECRET_WORDS.test(called);
}
