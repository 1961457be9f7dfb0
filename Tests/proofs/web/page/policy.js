// The element on a page whose policy allows no inline script, no style and no eval: what it shows, and what the policy complains of.

window.violations = [];
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => window.violations.push(`${violatedDirective} ${blockedURI}`));
await import("/package/cuelight-element.js");
window.ready = true;
