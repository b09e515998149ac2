//! Any static host will do, and the page loads nothing but its own files.

use anyhow::Result;
use harness::{Page, Site, Window, dist};

#[tokio::test]
async fn works_from_a_folder_of_a_host() -> Result<()> {
    let site = Site::serve(&dist()?, "lessons/week-3/", 0)?;
    let page = Window::default().open(&format!("{}?page=universal", site.address())).await?;
    page.wait("there is a main region", "return document.querySelector('main h1') !== null").await?;
    page.wait("the service worker is there", READY).await?;
    let scope = page.run("return navigator.serviceWorker.ready.then(({ scope }) => scope)").await?;
    assert_eq!(scope, site.address(), "only this folder is kept");
    assert_eq!(page.console_errors().await?, Vec::<String>::new());
    Ok(())
}

#[tokio::test]
async fn the_policy_keeps_foreign_code_out() -> Result<()> {
    let page = Page::open("").await?;
    // Each of these would work without the policy. What WebDriver itself runs is exempt from it, hence the timer.
    let attempts = "
        window.ran = [];
        const timer = new Promise((resolve) => setTimeout(() => {
            try { new Function('window.ran.push(\"eval\")')(); } catch {}
            resolve();
        }));
        const script = document.createElement('script');
        script.textContent = 'window.ran.push(\"inline script\")';
        document.body.append(script);
        const element = document.createElement('div');
        element.setAttribute('style', 'display: none');
        document.body.append(element);
        if (getComputedStyle(element).display === 'none') window.ran.push('inline style');
        return fetch('https://127.0.0.1:1/', { mode: 'no-cors' }).catch((error) => error).then(() => timer).then(() => window.ran)";
    assert_eq!(page.run(attempts).await?, serde_json::json!([]));
    let errors = page.console_errors().await?.join("\n");
    for directive in ["script-src", "style-src", "connect-src"] {
        assert!(errors.contains(directive), "the console says what {directive} kept out: {errors}");
    }
    Ok(())
}

#[tokio::test]
async fn files_of_the_worker_are_named_by_their_content() -> Result<()> {
    let page = Page::open("").await?;
    let name = page.run("return document.querySelector('meta[name=worker]').content").await?;
    let loads = format!("return fetch({name}).then((answer) => answer.ok)");
    assert_eq!(page.run(&loads).await?, true, "{name}");
    Ok(())
}

const READY: &str = "return navigator.serviceWorker.ready.then(() => true)";
