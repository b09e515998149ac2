//! Controls, found in the browser's own accessibility tree by the name that a person reads or hears.

use crate::page::Page;
use anyhow::{Context, Result, bail};
use fantoccini::elements::Element;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, sleep};

// Keys, as WebDriver writes them.
const CONTROL: char = '\u{e009}';
const RELEASE: char = '\u{e000}';

/// How long a control may take to appear.
const PATIENCE: Duration = Duration::from_secs(20);

impl Page {
    /// The one element with this accessible name and role (`button`, `slider`, `status`, …); waits for it.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub async fn find(&self, role: &str, name: &str) -> Result<Element> {
        self.one(&[role], name).await
    }

    /// Every element with this accessible name and role that is there now.
    ///
    /// # Errors
    /// The browser refuses.
    pub async fn find_all(&self, role: &str, name: &str) -> Result<Vec<Element>> {
        let nodes = self.nodes(&json!({"role": role, "accessibleName": name})).await?;
        let mut elements = Vec::new();
        for (_, node) in nodes {
            elements.push(self.element(node).await?);
        }
        Ok(elements)
    }

    /// The text of the status region, or other live region, with this name.
    ///
    /// # Errors
    /// There is none, or more than one.
    pub async fn status(&self, name: &str) -> Result<String> {
        Ok(self.one(&["status", "log", "alert"], name).await?.text().await?)
    }

    /// Presses a button, link, tab or menu entry.
    ///
    /// # Errors
    /// There is none, or more than one, or it cannot be clicked.
    pub async fn press(&self, name: &str) -> Result<()> {
        let roles = ["button", "link", "tab", "menuitem", "checkbox", "switch", "radio"];
        let control = self.one(&roles, name).await?;
        if control.click().await.is_err() {
            // As a person would scroll when what stays at the window's foot covers it.
            let scroll = "arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })";
            self.client.execute(scroll, vec![serde_json::to_value(&control)?]).await?;
            control.click().await?;
        }
        Ok(())
    }

    /// Writes into a text box, in place of what is there.
    ///
    /// # Errors
    /// There is none, or more than one, or it takes no text.
    pub async fn write(&self, name: &str, text: &str) -> Result<()> {
        let field = self.one(&["textbox", "searchbox", "spinbutton", "combobox"], name).await?;
        // As a person does; a field that is emptied and left, as by WebDriver's own way, may take back its value.
        field.send_keys(&format!("{CONTROL}a{RELEASE}")).await?;
        Ok(field.send_keys(text).await?)
    }

    /// Moves a slider, or sets a number field.
    ///
    /// # Errors
    /// There is none, or more than one, or it does not take the value.
    pub async fn set_slider(&self, name: &str, value: f64) -> Result<()> {
        let slider = self.one(&["slider", "spinbutton"], name).await?;
        // WebDriver cannot drag to a value; these are the events that a browser sends when a person does.
        let set = "const [slider, value] = arguments; slider.focus(); slider.value = value; \
                   slider.dispatchEvent(new Event('input', { bubbles: true })); \
                   slider.dispatchEvent(new Event('change', { bubbles: true })); \
                   return Number(slider.value)";
        let taken = self.client.execute(set, vec![serde_json::to_value(&slider)?, json!(value)]).await?;
        if taken.as_f64() != Some(value) {
            bail!("{name} was set to {value} but took {taken}");
        }
        Ok(())
    }

    /// Chooses an option of a list, a group of radio buttons, a row of buttons or tabs.
    ///
    /// # Errors
    /// There is no such control or option.
    pub async fn choose(&self, name: &str, option: &str) -> Result<()> {
        let roles = ["combobox", "listbox", "radiogroup", "group", "tablist", "toolbar"];
        let control = self.one(&roles, name).await?;
        if control.tag_name().await? == "select" {
            return Ok(control.select_by_label(option).await?);
        }
        let within = self.object(&control).await?;
        for role in ["radio", "option", "tab", "button", "menuitemradio"] {
            let query = json!({"objectId": within, "role": role, "accessibleName": option});
            if let Some((_, node)) = self.nodes(&query).await?.into_iter().next() {
                return self.click(node).await;
            }
        }
        bail!("{name} has no option {option}")
    }

    /// Gives a file to a file control.
    ///
    /// # Errors
    /// There is none, or it takes no files.
    pub async fn upload(&self, name: &str, path: &Path) -> Result<()> {
        let control = self.file_control(name).await?;
        // A file field may be hidden behind a button that looks better.
        let field = "const [control] = arguments; const fields = 'input[type=file]'; \
                     return control.matches(fields) ? control : (control.control ?? control.parentElement.querySelector(fields))";
        let field = self.client.execute(field, vec![serde_json::to_value(&control)?]).await?;
        let field = self.to_element(field).with_context(|| format!("{name} has no file field"))?;
        let path = path.canonicalize().with_context(|| format!("no file {}", path.display()))?;
        Ok(field.send_keys(&path.to_string_lossy()).await?)
    }

    /// Waits for exactly one file control with this name. Chromium does not find it by its name alone, to which
    /// it adds the name of the file that was chosen.
    async fn file_control(&self, name: &str) -> Result<Element> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut found = Vec::new();
            for role in ["button", "textbox", "none", "generic"] {
                let nodes = self.tree(&json!({"role": role})).await?;
                found.extend(nodes.into_iter().filter(|node| node.name == name).map(|node| node.id));
            }
            match found[..] {
                [node] => return self.element(node).await,
                [] if Instant::now() < deadline => sleep(Duration::from_millis(50)).await,
                _ => bail!("{} file controls are named “{name}”", found.len()),
            }
        }
    }

    /// Waits for an element with this name and one of these roles, the one that comes first in the list where
    /// a control has several parts, such as a slider with a field for its number.
    async fn one(&self, roles: &[&str], name: &str) -> Result<Element> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = self.nodes(&json!({"accessibleName": name})).await?;
            for role in roles {
                let found: Vec<i64> =
                    seen.iter().filter(|(seen, _)| seen == role).map(|(_, node)| *node).collect();
                match found[..] {
                    [] => {}
                    [node] => return self.element(node).await,
                    _ => bail!("{} elements named “{name}” have the role {role}", found.len()),
                }
            }
            if Instant::now() > deadline {
                let seen: Vec<_> = seen.into_iter().map(|(role, _)| role).collect();
                bail!("nothing named “{name}” has a role of {roles:?}; with this name there are {seen:?}");
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// The roles and numbers of the nodes of the accessibility tree that a query finds.
    async fn nodes(&self, query: &Value) -> Result<Vec<(String, i64)>> {
        Ok(self.tree(query).await?.into_iter().map(|node| (node.role, node.id)).collect())
    }

    /// The nodes of the accessibility tree that a query finds.
    async fn tree(&self, query: &Value) -> Result<Vec<Node>> {
        let mut query = query.clone();
        if query["objectId"].is_null() {
            let document = self.devtools("Runtime.evaluate", json!({"expression": "document"})).await?;
            query["objectId"] = document["result"]["objectId"].clone();
        }
        let found = self.devtools("Accessibility.queryAXTree", query).await?;
        let nodes = found["nodes"].as_array().context("the accessibility tree is no list")?;
        let shown = nodes.iter().filter(|node| node["ignored"] != true);
        Ok(shown
            .filter_map(|node| {
                let text = |what: &str| node[what]["value"].as_str().unwrap_or_default().to_owned();
                Some(Node { role: text("role"), name: text("name"), id: node["backendDOMNodeId"].as_i64()? })
            })
            .collect())
    }

    /// From a node of the accessibility tree to an element of WebDriver.
    async fn element(&self, node: i64) -> Result<Element> {
        let object = self.devtools("DOM.resolveNode", json!({"backendNodeId": node})).await?;
        let keep = json!({"objectId": object["object"]["objectId"], "functionDeclaration": "function () { window.foundByName = this }"});
        self.devtools("Runtime.callFunctionOn", keep).await?;
        self.to_element(self.run("return window.foundByName").await?)
    }

    /// From an element of WebDriver to an object of the DevTools protocol.
    async fn object(&self, element: &Element) -> Result<Value> {
        let keep = "window.foundByName = arguments[0]";
        self.client.execute(keep, vec![serde_json::to_value(element)?]).await?;
        let object = self.devtools("Runtime.evaluate", json!({"expression": "window.foundByName"})).await?;
        Ok(object["result"]["objectId"].clone())
    }

    /// Clicks an element, or its label where the element itself is not seen, as with a styled radio button.
    async fn click(&self, node: i64) -> Result<()> {
        let element = self.element(node).await?;
        if element.click().await.is_ok() {
            return Ok(());
        }
        let label = "return arguments[0].labels?.[0] ?? null";
        let label = self.client.execute(label, vec![serde_json::to_value(&element)?]).await?;
        Ok(self.to_element(label).context("it can neither be clicked nor has it a label")?.click().await?)
    }

    fn to_element(&self, value: Value) -> Result<Element> {
        let reference = value.as_object().and_then(|object| object.values().next()?.as_str());
        let reference = reference.with_context(|| format!("{value} is no element"))?;
        Ok(Element::from_element_id(self.client.clone(), reference.to_owned().into()))
    }
}

/// A node of the accessibility tree.
struct Node {
    role: String,
    name: String,
    id: i64,
}
