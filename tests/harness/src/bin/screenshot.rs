//! A picture of the built page, for looking at: `cargo xtask screenshot`.

use anyhow::{Result, bail};
use harness::{Site, Theme, Window, dist};
use lexopt::prelude::*;
use std::path::PathBuf;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let options = Options::from_arguments(lexopt::Parser::from_env())?;
    let site = Site::serve(&dist()?, "", 0)?;
    let page = options.window.open(&format!("{}?{}", site.address(), options.query)).await?;
    match options.extent {
        Extent::Window => page.screenshot(&options.out).await?,
        Extent::Page => page.screenshot_of_all(&options.out).await?,
    }
    for error in page.console_errors().await? {
        eprintln!("the console says: {error}");
    }
    println!("{}", options.out.display());
    Ok(())
}

struct Options {
    window: Window,
    query: String,
    extent: Extent,
    out: PathBuf,
}

enum Extent {
    Window,
    Page,
}

impl Options {
    fn from_arguments(mut arguments: lexopt::Parser) -> Result<Options> {
        let mut options = Options {
            window: Window::default(),
            query: String::new(),
            extent: Extent::Window,
            out: PathBuf::from("target/screenshot.png"),
        };
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("width") => options.window.width = arguments.value()?.parse()?,
                Long("height") => options.window.height = arguments.value()?.parse()?,
                Long("lang") => options.window.language = arguments.value()?.string()?,
                Long("theme") => {
                    options.window.theme = match arguments.value()?.string()?.as_str() {
                        "light" => Theme::Light,
                        "dark" => Theme::Dark,
                        other => bail!("there is no theme {other}: light or dark"),
                    };
                }
                Long("query") => {
                    options.query = arguments.value()?.string()?.trim_start_matches('?').to_owned()
                }
                Long("full") => options.extent = Extent::Page,
                Long("out") => options.out = arguments.value()?.into(),
                other => return Err(other.unexpected().into()),
            }
        }
        Ok(options)
    }
}
