//! The controls of the workspace: the class, and the target that the draws have to play.

use leptos::prelude::*;
use transformer::Attention;

use super::room::WidthRoom;
use crate::ground::language::{Language, use_language};
use crate::rooms::shared::named::Named;
use crate::rooms::width::choices::{
    MOST_HEAD_WIDTH, MOST_HEADS, MOST_LAYERS, MOST_TOKENS, MOST_WIDTH, WidthState,
};
use crate::widgets::controls::{Choice, Range, SeedField, Select, Slider, Toggle};

/// The bar of controls. A lesson hides those that the link names.
#[component]
pub fn Controls() -> impl IntoView {
    let room = expect_context::<WidthRoom>();
    let t = use_language();
    let label = move |text: fn(Language) -> &'static str| Signal::derive(move || text(t.get()).to_owned());
    let number = move |of: fn(&WidthState) -> usize| Signal::derive(move || room.state.with(of) as f64);
    view! {
        <div class="control-bar" role="group" aria-label=move || t.get().controls()>
            <Named name="heads">
                <Slider label=label(Language::heads) value=number(|it| it.class.heads) range=whole(MOST_HEADS)
                    on_input=move |value: f64| room.change(|it| it.class.heads = value as usize)/>
            </Named>
            <Named name="layers">
                <Slider label=label(Language::layers) value=number(|it| it.class.layers) range=whole(MOST_LAYERS)
                    on_input=move |value: f64| room.change(|it| it.class.layers = value as usize)/>
            </Named>
            <Named name="width">
                <Slider label=label(Language::width_of_target) value=number(|it| it.class.width) range=whole(MOST_WIDTH)
                    on_input=move |value: f64| room.change(|it| it.class.width = value as usize)/>
            </Named>
            <Named name="head-width">
                <Slider label=label(Language::head_width) value=number(|it| it.class.head_width) range=whole(MOST_HEAD_WIDTH)
                    on_input=move |value: f64| room.change(|it| it.class.head_width = value as usize)/>
            </Named>
            <Named name="residual">
                <Toggle label=label(Language::residual)
                    value=Signal::derive(move || room.class.get().residual)
                    on_input=move |residual| room.change(|it| it.class.residual = residual)/>
            </Named>
            <Named name="attention">
                <Select label=label(Language::attention)
                    options=Signal::derive(move || {
                        let t = t.get();
                        vec![
                            Choice::new(Attention::Softmax, t.softmax()),
                            Choice::new(Attention::AverageHard, t.average_hard()),
                            Choice::new(Attention::LeftmostHard, t.leftmost_hard()),
                        ]
                    })
                    value=Signal::derive(move || room.class.get().attention)
                    on_input=move |attention| room.change(|it| it.class.attention = attention)/>
            </Named>
            <Named name="n">
                <Slider label=label(Language::tokens_control) value=number(|it| it.tokens) range=whole(MOST_TOKENS)
                    on_input=move |value: f64| room.change(|it| it.tokens = value as usize)/>
            </Named>
            <Named name="seed">
                <SeedField label=label(Language::target_seed)
                    value=Signal::derive(move || room.state.with(|it| it.seed))
                    on_input=move |seed| room.change(|it| it.seed = seed)/>
            </Named>
        </div>
    }
}

fn whole(most: usize) -> Range {
    Range::whole(1, most as i32)
}

crate::texts! {
    width_of_target: "Width d" | "Largura d";
    target_seed: "Target seed" | "Semente do alvo";
}
