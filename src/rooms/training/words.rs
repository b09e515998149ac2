//! Names of tasks, variants, models and runs, and what the engine refuses, in both languages.

use training::Error;

use super::trainee::{Rest, Status, Trainee};
use crate::drawing::palette::Role;
use crate::ground::language::Language;
use crate::notices::numbers::{decimal, whole};
use crate::rooms::training::choices::{Model, TaskKind, Variant};

/// The hue of a model, in every picture.
pub fn role_of(model: Model) -> Role {
    match model {
        Model::Sparse => Role::Query,
        Model::Looped => Role::Residual,
        Model::Random => Role::Output,
        Model::Trained => Role::Target,
    }
}

impl Language {
    /// A task.
    pub(super) fn training_task(self, kind: TaskKind) -> &'static str {
        match kind {
            TaskKind::Dyck => "Dyck-1",
            TaskKind::OneHop => "1-hop",
            TaskKind::TwoHop => "2-hop",
            TaskKind::ThreeHop => "3-hop",
            TaskKind::FourHop => "4-hop",
            TaskKind::MatchTwo => "Match2",
            TaskKind::Parity => "k-PARITY",
            TaskKind::Recall => self.training_recall(),
            TaskKind::ModularAddition => self.training_addition(),
            TaskKind::Own => self.training_own(),
        }
    }

    /// What a task asks.
    pub(super) fn training_story(self, kind: TaskKind) -> &'static str {
        match kind {
            TaskKind::Dyck => self.training_story_dyck(),
            _ if kind.hops().is_some() => self.training_story_hops(),
            TaskKind::MatchTwo => self.training_story_match(),
            TaskKind::Parity => self.training_story_parity(),
            TaskKind::Recall => self.training_story_recall(),
            TaskKind::ModularAddition => self.training_story_addition(),
            _ => self.training_story_own(),
        }
    }

    /// A variant.
    pub(super) fn training_variant(self, variant: Variant) -> &'static str {
        match variant {
            Variant::AttentionOnly => self.training_attention_only(),
            Variant::ResidualNorm => self.training_residual_norm(),
            Variant::ResidualNormMlp => self.training_with_mlp(),
        }
    }

    /// A model.
    pub(super) fn training_model(self, model: Model) -> &'static str {
        match model {
            Model::Sparse => self.training_sparse(),
            Model::Looped => self.training_looped(),
            Model::Random => self.training_random(),
            Model::Trained => self.training_trained(),
        }
    }

    /// What a model is.
    pub(super) fn training_model_note(self, model: Model) -> &'static str {
        match model {
            Model::Sparse => self.training_sparse_note(),
            Model::Looped => self.training_looped_note(),
            Model::Random => self.training_random_note(),
            Model::Trained => self.training_trained_note(),
        }
    }

    /// A run by its name.
    pub(super) fn training_run(self, run: Trainee) -> String {
        let member = run.member();
        let name = self.training_run_name(self.training_model(member.model), member.seed);
        match run.forked_at {
            None => name,
            Some(step) => self.training_fork_name(&name, step),
        }
    }

    /// What a run does.
    pub(super) fn training_status(self, status: &Status) -> &'static str {
        match status {
            Status::Waiting => self.training_waiting(),
            Status::Training => self.training_under_way(),
            Status::Resting(Rest::Paused) => self.training_paused(),
            Status::Resting(Rest::Converged) => self.training_converged(),
            Status::Resting(Rest::Spent) => self.training_spent(),
            Status::Resting(Rest::Refused(Error::NotFinite { .. })) => self.training_not_finite(),
            Status::Resting(Rest::Refused(_)) => self.training_refused(),
            Status::Resting(Rest::Failed(_)) => self.training_stopped(),
        }
    }

    /// A share in per cent, with a digit more the nearer it is to all.
    pub(super) fn training_share(self, share: f64) -> String {
        let digits = if (0.9995..1.0).contains(&share) { 2 } else { 1 };
        // What is not all of it is never rounded up to all of it.
        let shown =
            if (0.9995..1.0).contains(&share) { (share * 1e4 + 1e-6).floor() / 1e2 } else { 100.0 * share };
        // A number and its unit stay on one line.
        let text = format!("{shown:.digits$}\u{a0}%");
        match self {
            Language::En => text,
            Language::Pt => text.replace('.', ","),
        }
    }

    /// The names of the classes of a task: those that are words of a language are put into it.
    pub(super) fn training_classes(self, task: &training::Task, names: &[String]) -> Vec<String> {
        use training::Task;
        match task {
            Task::Dyck { .. } | Task::MatchTwo { .. } => {
                [self.training_no(), self.training_yes()].map(str::to_owned).to_vec()
            }
            Task::Parity { .. } => [self.training_even(), self.training_odd()].map(str::to_owned).to_vec(),
            _ => names.to_vec(),
        }
    }

    /// A time in words.
    pub(super) fn training_time(self, seconds: f64) -> String {
        match seconds {
            _ if seconds < 90.0 => self.training_seconds(seconds.ceil() as usize),
            _ if seconds < 5400.0 => self.training_minutes((seconds / 60.0).round() as usize),
            _ => self.training_hours(&decimal((seconds / 360.0).round() / 10.0, self)),
        }
    }

    /// What the engine refuses, and what would do.
    pub(super) fn training_error(self, error: &Error) -> String {
        match error {
            // Their words are those of the workspace “Universal”, which says them in the strip above.
            Error::Universal(error) => error.to_string(),
            Error::Transformer(error) => error.to_string(),
            Error::Setting { name, found, expected } => {
                self.training_error_setting(name, found, &expectation(expected, self))
            }
            Error::Exhausted { .. } => self.training_error_exhausted().to_owned(),
            Error::UnknownToken { position, token } => {
                self.training_error_token(&whole(*position, self), token)
            }
            Error::Length { found, expected } => {
                self.training_error_length(&whole(*found, self), &expectation(expected, self))
            }
            Error::OwnSequences { line, reason } => {
                self.training_error_own(&whole(*line, self), &expectation(reason, self))
            }
            Error::NotFinite { step, what, last_good } => self.training_error_not_finite(
                &whole(*step, self),
                &expectation(&with_names(what), self),
                &whole(*last_good, self),
            ),
            Error::Snapshot { .. } | Error::Fingerprint { .. } => self.training_error_snapshot().to_owned(),
        }
    }
}

/// Tensors under the names that they have in the pictures.
fn with_names(what: &str) -> String {
    let what = what.replace("embedding.tokens", "E (tokens)").replace("embedding.positions", "E (positions)");
    what.replace("unembedding", "U")
}

/// What the engine expects, which it says in a few English words.
fn expectation(text: &str, t: Language) -> String {
    const PORTUGUESE: [(&str, &str); 17] = [
        ("the gradient of ", "o gradiente de "),
        ("the gradient", "o gradiente"),
        ("the loss", "a perda"),
        (" tokens, which must be ", " tokens, que precisam ser "),
        (
            "some lines name a class with =>, others do not",
            "algumas linhas dão uma classe com =>, outras não",
        ),
        ("at least 2: one to train on, one to hold out", "no mínimo 2: uma para treinar, uma para reservar"),
        ("at least 0 and less than 1", "no mínimo 0 e menor que 1"),
        ("at least ", "no mínimo "),
        ("at most ", "no máximo "),
        ("fewer than ", "menos que "),
        ("positive", "positivo"),
        ("even", "par"),
        ("E (positions)", "E (posições)"),
        ("there is no sequence", "não há sequência"),
        ("the same tokens with another class before", "os mesmos tokens com outra classe antes"),
        ("a token or a class that has no name", "um token ou uma classe sem nome"),
        (" to ", " a "),
    ];
    match t {
        Language::En => text.to_owned(),
        Language::Pt => PORTUGUESE.into_iter().fold(text.to_owned(), |text, (en, pt)| text.replace(en, pt)),
    }
}

crate::texts! {
    training_recall: "Associative recall" | "Recordação associativa";
    training_addition: "Modular addition" | "Adição modular";
    training_own: "Own sequences" | "Sequências próprias";
    training_story_dyck: "Is this string of parentheses balanced? The model says so at its end ($). Half of the strings are balanced, and of the others half count right and close too early: counting alone gets 75 %."
        | "Esta sequência de parênteses está equilibrada? O modelo responde no fim ($). Metade está; das outras, metade tem a contagem certa e fecha cedo demais: só contar dá 75 %.";
    training_story_hops: "At every position: go back to the last earlier place of this symbol, one step forward, and again, k times. Which symbol stands there, or is there none (–)? A chain of lookups, each of them an induction head."
        | "Em cada posição: volte ao último lugar anterior deste símbolo, um passo à frente, e de novo, k vezes. Que símbolo está lá, ou não há nenhum (–)? Uma corrente de consultas, cada uma uma cabeça de indução.";
    training_story_match: "At every position: is there a residue in the sequence that adds up to 0 with this one, modulo M? The workspace RASP solves it exactly, by construction; here it is learned."
        | "Em cada posição: há na sequência um resíduo que somado a este dá 0, módulo M? A sala RASP o resolve exatamente, por construção; aqui se aprende.";
    training_story_parity: "The parity of k secret bits, at the end. RASP writes it down in a line; learning it means finding out which bits they are."
        | "A paridade de k bits secretos, no fim. O RASP a escreve em uma linha; aprendê-la é descobrir que bits são.";
    training_story_recall: "Pairs of a key and a value, then one of the keys: which value belongs to it? As in Zhong and Andreas (2024)."
        | "Pares de chave e valor, depois uma das chaves: que valor lhe pertence? Como em Zhong e Andreas (2024).";
    training_story_addition: "a b: what is a + b modulo p? Three quarters of all pairs are trained on, a quarter is held out. As in Zhong and Andreas (2024)."
        | "a b: quanto é a + b módulo p? Três quartos dos pares são treino, um quarto fica reservado. Como em Zhong e Andreas (2024).";
    training_story_own: "One sequence a line. “tokens => class” asks for a class at the end; without “=>” the next token is asked for everywhere."
        | "Uma sequência por linha. “tokens => classe” pede uma classe no fim; sem “=>” pede-se em toda parte o próximo token.";
    training_no: "no" | "não";
    training_yes: "yes" | "sim";
    training_even: "even" | "par";
    training_odd: "odd" | "ímpar";
    training_attention_only: "Attention only" | "Só atenção";
    training_residual_norm: "Residual + layer norm" | "Residual + norm. de camada";
    training_with_mlp: "+ frozen random MLP" | "+ MLP aleatório congelado";
    training_sparse: "Sparse" | "Esparso";
    training_looped: "Looped" | "Em laço";
    training_random: "Random" | "Aleatório";
    training_trained: "Fully trained" | "Todo treinado";
    training_sparse_note: "Frozen inside: zeros and ones that only route" | "Congelado por dentro: zeros e uns que só encaminham";
    training_looped_note: "Frozen inside, the same layer again and again" | "Congelado por dentro, a mesma camada repetida";
    training_random_note: "Frozen inside: weights drawn once" | "Congelado por dentro: pesos sorteados uma vez";
    training_trained_note: "Nothing is frozen: the usual transformer" | "Nada congelado: o transformer usual";
    training_run_name(model: &str, seed: u64): "{model}, seed {seed}" | "{model}, semente {seed}";
    training_fork_name(run: &str, step: usize): "{run}, forked at step {step}" | "{run}, ramificado no passo {step}";
    training_waiting: "waits for a free core" | "espera um núcleo livre";
    training_under_way: "trains" | "treina";
    training_paused: "paused" | "em pausa";
    training_converged: "converged" | "convergiu";
    training_spent: "budget used up" | "orçamento esgotado";
    training_not_finite: "stopped: not finite" | "parou: não finito";
    training_refused: "cannot be" | "não é possível";
    training_stopped: "stopped by a mistake" | "parado por um erro";
    training_seconds(count: usize): "{count} s" | "{count} s";
    training_minutes(count: usize): "{count} min" | "{count} min";
    training_hours(count: &str): "{count} h" | "{count} h";
    training_error_setting(name: &str, found: &str, expected: &str):
        "{name} is {found}; it must be {expected}." | "{name} é {found}; precisa ser {expected}.";
    training_error_exhausted: "No sequence is left to train on outside the held-out ones. Make the sequences longer."
        | "Não sobra sequência para treinar fora das reservadas. Alongue as sequências.";
    training_error_token(position: &str, token: &str):
        "Token {position} is “{token}”, which this task does not have." | "O token {position} é “{token}”, que esta tarefa não tem.";
    training_error_length(found: &str, expected: &str):
        "There are {found} tokens; there must be {expected}." | "Há {found} tokens; precisa haver {expected}.";
    training_error_own(line: &str, reason: &str): "Line {line}: {reason}." | "Linha {line}: {reason}.";
    training_error_not_finite(step: &str, what: &str, last_good: &str):
        "At step {step} {what} became infinite or NaN. The run is back at step {last_good}, where all was well: go on from there with half the learning rate."
        | "No passo {step} {what} ficou infinito ou NaN. O treino voltou ao passo {last_good}, onde tudo estava bem: continue de lá com metade da taxa de aprendizado.";
    training_error_snapshot: "What was kept of this run is of another version of Pianola. Reset begins it anew."
        | "O que se guardou deste treino é de outra versão do Pianola. Reiniciar começa de novo.";
}
