//! The widgets' own words in the languages of the page.

use crate::ground::language::Language;
use crate::widgets::words::Words;

/// The words that widgets say by themselves, in a language.
pub fn widget_words(language: Language) -> Words {
    match language {
        Language::En => Words::default(),
        Language::Pt => portuguese(),
    }
}

/// Without `..`, so that a new word does not compile without its Portuguese.
fn portuguese() -> Words {
    Words {
        heatmap: "mapa de calor".to_owned(),
        heatmap_name: "{name}, {rows} por {cols}".to_owned(),
        heatmap_keys:
            "As setas movem de célula em célula, Enter ou Espaço fixa uma célula, Esc solta, T abre \
             uma tabela."
                .to_owned(),
        heatmap_edit_keys: "F2 ou um clique duplo edita uma célula.".to_owned(),
        chart_keys:
            "As setas esquerda e direita andam numa série, para cima e para baixo mudam de série, T abre uma tabela."
                .to_owned(),
        chart_marker_keys: "Enter leva o marcador até lá.".to_owned(),
        row_sum: "soma da linha".to_owned(),
        masked: "mascarada".to_owned(),
        not_yet: "ainda não".to_owned(),
        nan: "não é um número".to_owned(),
        infinite: "infinito".to_owned(),
        non_zeros: "{count} de {total} são 1".to_owned(),
        no: "não".to_owned(),
        yes: "sim".to_owned(),
        pinned: "fixada; Esc solta".to_owned(),
        this_matrix: "esta matriz".to_owned(),
        actions: "Ações para {name}".to_owned(),
        table_view: "Ver como tabela".to_owned(),
        zoom_in: "Ampliar".to_owned(),
        zoom_out: "Reduzir".to_owned(),
        zoom_reset: "Mostrar tudo".to_owned(),
        export_csv: "Salvar como CSV".to_owned(),
        export_svg: "Salvar como SVG".to_owned(),
        export_png: "Salvar como PNG".to_owned(),
        edit_cell: "Editar célula".to_owned(),
        new_value: "Novo valor de {cell}".to_owned(),
        not_a_number: "“{text}” não é um número. Escreva, por exemplo, −0,5 ou 1e−3.".to_owned(),
        out_of_range: "Deve estar entre {least} e {most}.".to_owned(),
        not_whole: "Deve ser um número inteiro.".to_owned(),
        close: "Fechar".to_owned(),
        previous: "Anteriores".to_owned(),
        next: "Seguintes".to_owned(),
        rows_shown: "linhas {first}–{last} de {total}".to_owned(),
        cols_shown: "colunas {first}–{last} de {total}".to_owned(),
        play: "Reproduzir".to_owned(),
        pause: "Pausar".to_owned(),
        step_forward: "Avançar um passo".to_owned(),
        step_back: "Voltar um passo".to_owned(),
        to_start: "Ir para o início".to_owned(),
        to_end: "Ir para o fim".to_owned(),
        speed: "Velocidade".to_owned(),
        granularity: "Tamanho do passo".to_owned(),
        position: "Posição".to_owned(),
        step_of: "passo {step} de {total}".to_owned(),
        typed_number: "digite o número".to_owned(),
        new_seed: "Sortear outra semente".to_owned(),
        code_keys: "Tab recua; Esc e depois Tab sai. Ctrl + Espaço completa um nome.".to_owned(),
        completions: "Nomes que servem".to_owned(),
        choose_file: "Escolher um arquivo".to_owned(),
        drop_file: "ou solte-o aqui".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every word with the name of its field, as the derived `Debug` writes them: one field a line.
    fn fields(words: &Words) -> Vec<(String, String)> {
        format!("{words:#?}")
            .lines()
            .filter_map(|line| line.trim().trim_end_matches(',').split_once(": "))
            .map(|(field, text)| (field.to_owned(), text.to_owned()))
            .collect()
    }

    fn placeholders(text: &str) -> Vec<&str> {
        let mut names: Vec<&str> =
            text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect();
        names.sort_unstable();
        names
    }

    fn pairs() -> Vec<(String, String, String)> {
        let (en, pt) = (fields(&widget_words(Language::En)), fields(&widget_words(Language::Pt)));
        assert_eq!(en.len(), pt.len());
        assert!(en.len() > 40, "{en:?}");
        en.into_iter().zip(pt).map(|((field, en), (_, pt))| (field, en, pt)).collect()
    }

    #[test]
    fn what_is_longer_than_a_word_is_said_in_both_languages() {
        for (field, en, pt) in pairs() {
            assert!(pt.len() > 2, "{field} is empty");
            if en.split_whitespace().count() > 1 {
                assert_ne!(en, pt, "{field}");
            }
        }
    }

    #[test]
    fn both_languages_are_filled_in_with_the_same_things() {
        for (field, en, pt) in pairs() {
            assert_eq!(placeholders(&en), placeholders(&pt), "{field}");
        }
    }
}
