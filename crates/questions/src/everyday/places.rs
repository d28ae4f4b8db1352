//! Other names of places: codes of countries and states, adjectives of continents.

/// The codes that tables write for a country: ISO 3166 with two and with three letters, and those of sports
/// where they differ. The names are the first ones of [`NATIONS`](crate::nations::NATIONS).
#[rustfmt::skip]
pub(super) const COUNTRY_CODES: &[(&str, &str)] = &[
    ("afghanistan", "af afg"), ("albania", "al alb"), ("algeria", "dz dza alg"), ("andorra", "ad and"),
    ("angola", "ao ago ang"), ("argentina", "ar arg"), ("armenia", "am arm"), ("australia", "au aus"),
    ("austria", "at aut"), ("azerbaijan", "az aze"), ("bahamas", "bs bhs bah"), ("bahrain", "bh bhr brn"),
    ("bangladesh", "bd bgd ban"), ("barbados", "bb brb bar"), ("belarus", "by blr"), ("belgium", "be bel"),
    ("belize", "bz blz biz"), ("benin", "bj ben"), ("bermuda", "bm bmu ber"), ("bhutan", "bt btn bhu"),
    ("bolivia", "bo bol"), ("bosnia and herzegovina", "ba bih"), ("botswana", "bw bwa bot"),
    ("brazil", "br bra"), ("bulgaria", "bg bgr bul"), ("burkina faso", "bf bfa bur"), ("burma", "mm mmr mya"),
    ("burundi", "bi bdi"), ("cambodia", "kh khm cam"), ("cameroon", "cm cmr"), ("canada", "ca can"),
    ("cape verde", "cv cpv"), ("chad", "td tcd cha"), ("chile", "cl chl chi"), ("china", "cn chn"),
    ("colombia", "co col"), ("congo", "cg cog cgo"), ("costa rica", "cr cri crc"), ("croatia", "hr hrv cro"),
    ("cuba", "cu cub"), ("cyprus", "cy cyp"), ("czech republic", "cz cze"), ("czechoslovakia", "csk tch"),
    ("denmark", "dk dnk den"), ("dominican republic", "do dom"), ("east germany", "ddr gdr"),
    ("ecuador", "ec ecu"), ("egypt", "eg egy"), ("el salvador", "sv slv esa"), ("england", "eng"),
    ("eritrea", "er eri"), ("estonia", "ee est"), ("ethiopia", "et eth"), ("fiji", "fj fji fij"),
    ("finland", "fi fin"), ("france", "fr fra"), ("gabon", "ga gab"), ("gambia", "gm gmb gam"),
    ("georgia", "ge geo"), ("germany", "de deu ger frg"), ("ghana", "gh gha"), ("greece", "gr grc gre"),
    ("grenada", "gd grd grn"), ("guatemala", "gt gtm gua"), ("guinea", "gn gin gui"), ("guyana", "gy guy"),
    ("haiti", "ht hti hai"), ("honduras", "hn hnd hon"), ("hungary", "hu hun"), ("iceland", "is isl"),
    ("india", "in ind"), ("indonesia", "id idn ina"), ("iran", "ir irn iri"), ("iraq", "iq irq"),
    ("ireland", "ie irl"), ("israel", "il isr"), ("italy", "it ita"), ("ivory coast", "ci civ"),
    ("jamaica", "jm jam"), ("japan", "jp jpn"), ("jordan", "jo jor"), ("kazakhstan", "kz kaz"),
    ("kenya", "ke ken"), ("kosovo", "xk xkx kos"), ("kuwait", "kw kwt kuw"), ("kyrgyzstan", "kg kgz"),
    ("laos", "la lao"), ("latvia", "lv lva lat"), ("lebanon", "lb lbn lib"), ("liberia", "lr lbr"),
    ("libya", "ly lby lba"), ("liechtenstein", "li lie"), ("lithuania", "lt ltu"), ("luxembourg", "lu lux"),
    ("macedonia", "mk mkd"), ("madagascar", "mg mdg mad"), ("malawi", "mw mwi maw"), ("malaysia", "my mys mas"),
    ("mali", "ml mli"), ("malta", "mt mlt"), ("mauritania", "mr mrt mtn"), ("mauritius", "mu mus mri"),
    ("mexico", "mx mex"), ("moldova", "md mda"), ("monaco", "mc mco mon"), ("mongolia", "mn mng mgl"),
    ("montenegro", "me mne"), ("morocco", "ma mar"), ("mozambique", "mz moz"), ("namibia", "na nam"),
    ("nepal", "np npl nep"), ("netherlands", "nl nld ned"), ("new zealand", "nz nzl"),
    ("nicaragua", "ni nic nca"), ("nigeria", "ng nga ngr"), ("north korea", "kp prk"),
    ("northern ireland", "nir"), ("norway", "no nor"), ("oman", "om omn oma"), ("pakistan", "pk pak"),
    ("palestine", "ps pse ple"), ("panama", "pa pan"), ("papua new guinea", "pg png"),
    ("paraguay", "py pry par"), ("peru", "pe per"), ("philippines", "ph phl phi"), ("poland", "pl pol"),
    ("portugal", "pt prt por"), ("puerto rico", "pr pri pur"), ("qatar", "qa qat"), ("romania", "ro rou"),
    ("russia", "ru rus"), ("rwanda", "rw rwa"), ("samoa", "ws wsm sam"), ("san marino", "sm smr"),
    ("saudi arabia", "sa sau ksa"), ("scotland", "sco"), ("senegal", "sn sen"), ("serbia", "rs srb"),
    ("sierra leone", "sl sle"), ("singapore", "sg sgp sin"), ("slovakia", "sk svk"), ("slovenia", "si svn slo"),
    ("somalia", "so som"), ("south africa", "za zaf rsa"), ("south korea", "kr kor"), ("soviet union", "urs"),
    ("spain", "es esp"), ("sri lanka", "lk lka sri"), ("sudan", "sd sdn sud"), ("suriname", "sr sur"),
    ("sweden", "se swe"), ("switzerland", "ch che sui"), ("syria", "sy syr"), ("taiwan", "tw twn tpe"),
    ("tajikistan", "tj tjk"), ("tanzania", "tz tza tan"), ("thailand", "th tha"), ("togo", "tg tgo tog"),
    ("tonga", "to ton tga"), ("trinidad and tobago", "tt tto tri"), ("tunisia", "tn tun"), ("turkey", "tr tur"),
    ("turkmenistan", "tm tkm"), ("uganda", "ug uga"), ("ukraine", "ua ukr"),
    ("united arab emirates", "ae are uae"), ("united kingdom", "gb gbr uk"), ("united states", "us usa"),
    ("uruguay", "uy ury uru"), ("uzbekistan", "uz uzb"), ("venezuela", "ve ven"), ("vietnam", "vn vnm vie"),
    ("wales", "wal"), ("yemen", "ye yem"), ("yugoslavia", "yug"), ("zambia", "zm zmb zam"),
    ("zimbabwe", "zw zwe zim"),
];

/// The states of the United States and their postal codes. Other countries' parts have codes too, but few
/// tables use them.
#[rustfmt::skip]
pub(super) const STATE_CODES: &[(&str, &str)] = &[
    ("alabama", "al"), ("alaska", "ak"), ("arizona", "az"), ("arkansas", "ar"), ("california", "ca"),
    ("colorado", "co"), ("connecticut", "ct"), ("delaware", "de"), ("district of columbia", "dc"),
    ("florida", "fl"), ("georgia", "ga"), ("hawaii", "hi"), ("idaho", "id"), ("illinois", "il"),
    ("indiana", "in"), ("iowa", "ia"), ("kansas", "ks"), ("kentucky", "ky"), ("louisiana", "la"),
    ("maine", "me"), ("maryland", "md"), ("massachusetts", "ma"), ("michigan", "mi"), ("minnesota", "mn"),
    ("mississippi", "ms"), ("missouri", "mo"), ("montana", "mt"), ("nebraska", "ne"), ("nevada", "nv"),
    ("new hampshire", "nh"), ("new jersey", "nj"), ("new mexico", "nm"), ("new york", "ny"),
    ("north carolina", "nc"), ("north dakota", "nd"), ("ohio", "oh"), ("oklahoma", "ok"), ("oregon", "or"),
    ("pennsylvania", "pa"), ("rhode island", "ri"), ("south carolina", "sc"), ("south dakota", "sd"),
    ("tennessee", "tn"), ("texas", "tx"), ("utah", "ut"), ("vermont", "vt"), ("virginia", "va"),
    ("washington", "wa"), ("west virginia", "wv"), ("wisconsin", "wi"), ("wyoming", "wy"),
];

/// Continents and what is said of their people and things.
pub(super) const CONTINENTS: &[&[&str]] = &[
    &["africa", "african"],
    &["antarctica", "antarctic"],
    &["asia", "asian"],
    &["caribbean"],
    &["europe", "european"],
    &["latin america", "latin american"],
    &["middle east", "middle eastern"],
    &["north america", "north american"],
    &["oceania", "oceanian"],
    &["scandinavia", "scandinavian"],
    &["south america", "south american"],
    &["central america", "central american"],
];

/// What may stand before a continent, as the question and as the table write it: "east African" and `Eastern
/// Africa`.
pub(super) const DIRECTIONS: &[&[&str]] = &[
    &["eastern", "east"],
    &["northern", "north"],
    &["southern", "south"],
    &["western", "west"],
    &["central", "middle"],
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nations::NATIONS;
    use std::collections::HashSet;

    #[test]
    fn every_code_is_of_one_country_that_is_known() {
        for list in [COUNTRY_CODES, STATE_CODES] {
            let mut known = HashSet::new();
            for (name, codes) in list {
                for code in codes.split(' ') {
                    assert!((2..=3).contains(&code.len()), "{name} {code}");
                    assert!(known.insert(code), "{code} twice");
                }
            }
        }
        for (name, _) in COUNTRY_CODES {
            assert!(NATIONS.iter().any(|nation| nation[0] == *name), "{name}");
        }
        assert_eq!(STATE_CODES.len(), 51);
    }
}
