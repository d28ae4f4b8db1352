//! Countries and what is said of their people and things.

/// The names and adjectives of one country: any of them may stand for the others.
pub(crate) type Nation = &'static [&'static str];

/// Every country of the table, its name first. Several words are separated by blanks, as normal forms are.
#[rustfmt::skip]
pub(crate) const NATIONS: &[Nation] = &[
    &["afghanistan", "afghan"], &["albania", "albanian"], &["algeria", "algerian"], &["andorra", "andorran"],
    &["angola", "angolan"], &["argentina", "argentine", "argentinian", "argentinean"], &["armenia", "armenian"],
    &["australia", "australian", "aussie"], &["austria", "austrian"], &["azerbaijan", "azerbaijani", "azeri"],
    &["bahamas", "bahamian"], &["bahrain", "bahraini"], &["bangladesh", "bangladeshi"],
    &["barbados", "barbadian"], &["belarus", "belarusian", "belarussian"], &["belgium", "belgian"],
    &["belize", "belizean"], &["benin", "beninese"], &["bermuda", "bermudian"], &["bhutan", "bhutanese"],
    &["bolivia", "bolivian"], &["bosnia and herzegovina", "bosnia", "bosnian"], &["botswana", "botswanan"],
    &["brazil", "brazilian"], &["bulgaria", "bulgarian"], &["burkina faso", "burkinabe"], &["burma", "burmese", "myanmar"],
    &["burundi", "burundian"], &["cambodia", "cambodian"], &["cameroon", "cameroonian"], &["canada", "canadian"],
    &["cape verde", "cape verdean"], &["catalonia", "catalan"], &["chad", "chadian"], &["chile", "chilean"],
    &["china", "chinese", "people's republic of china"], &["colombia", "colombian"], &["congo", "congolese"],
    &["corsica", "corsican"], &["costa rica", "costa rican"], &["croatia", "croatian", "croat"], &["cuba", "cuban"],
    &["cyprus", "cypriot"], &["czech republic", "czech", "czechia"], &["czechoslovakia", "czechoslovakian", "czechoslovak"],
    &["denmark", "danish", "dane"], &["dominican republic", "dominican"], &["east germany", "east german"],
    &["ecuador", "ecuadorian", "ecuadorean"], &["egypt", "egyptian"], &["el salvador", "salvadoran", "salvadorian"],
    &["england", "english", "englishman"], &["eritrea", "eritrean"], &["estonia", "estonian"],
    &["ethiopia", "ethiopian"], &["fiji", "fijian"], &["finland", "finnish", "finn"],
    &["france", "french", "frenchman"], &["gabon", "gabonese"], &["gambia", "gambian"], &["georgia", "georgian"],
    &["germany", "german", "west germany", "west german"], &["ghana", "ghanaian", "ghanian"],
    &["greece", "greek"], &["grenada", "grenadian"], &["guatemala", "guatemalan"], &["guinea", "guinean"],
    &["guyana", "guyanese"], &["haiti", "haitian"], &["honduras", "honduran"], &["hungary", "hungarian"],
    &["iceland", "icelandic", "icelander"], &["india", "indian"], &["indonesia", "indonesian"],
    &["iran", "iranian", "persian"], &["iraq", "iraqi"], &["ireland", "irish", "irishman", "republic of ireland"],
    &["israel", "israeli"], &["italy", "italian"], &["ivory coast", "ivorian", "cote d'ivoire"],
    &["jamaica", "jamaican"], &["japan", "japanese"], &["jordan", "jordanian"], &["kazakhstan", "kazakh", "kazakhstani"],
    &["kenya", "kenyan"], &["kosovo", "kosovan", "kosovar"], &["kuwait", "kuwaiti"], &["kyrgyzstan", "kyrgyz", "kyrgyzstani"],
    &["laos", "laotian"], &["latvia", "latvian"], &["lebanon", "lebanese"], &["liberia", "liberian"],
    &["libya", "libyan"], &["liechtenstein", "liechtensteiner"], &["lithuania", "lithuanian"],
    &["luxembourg", "luxembourger", "luxembourgish"], &["macedonia", "macedonian"], &["madagascar", "malagasy", "madagascan"],
    &["malawi", "malawian"], &["malaysia", "malaysian"], &["mali", "malian"], &["malta", "maltese"],
    &["mauritania", "mauritanian"], &["mauritius", "mauritian"], &["mexico", "mexican"], &["moldova", "moldovan"],
    &["monaco", "monegasque"], &["mongolia", "mongolian"], &["montenegro", "montenegrin"], &["morocco", "moroccan"],
    &["mozambique", "mozambican"], &["namibia", "namibian"], &["nepal", "nepalese", "nepali"],
    &["netherlands", "dutch", "dutchman", "holland"], &["new zealand", "new zealander", "kiwi"],
    &["nicaragua", "nicaraguan"], &["nigeria", "nigerian"], &["north korea", "north korean"],
    &["northern ireland", "northern irish"], &["norway", "norwegian"], &["oman", "omani"], &["pakistan", "pakistani"],
    &["palestine", "palestinian"], &["panama", "panamanian"], &["papua new guinea", "papua new guinean"],
    &["paraguay", "paraguayan"], &["peru", "peruvian"], &["philippines", "filipino", "philippine"],
    &["poland", "polish", "pole"], &["portugal", "portuguese"], &["puerto rico", "puerto rican"], &["qatar", "qatari"],
    &["romania", "romanian"], &["russia", "russian"], &["rwanda", "rwandan"], &["samoa", "samoan"],
    &["san marino", "sammarinese"], &["saudi arabia", "saudi", "saudi arabian"], &["scotland", "scottish", "scot", "scotsman"],
    &["senegal", "senegalese"], &["serbia", "serbian", "serb"], &["sierra leone", "sierra leonean"],
    &["singapore", "singaporean"], &["slovakia", "slovak", "slovakian"], &["slovenia", "slovenian", "slovene"],
    &["somalia", "somali", "somalian"], &["south africa", "south african"], &["south korea", "south korean", "korea", "korean"],
    &["soviet union", "soviet", "ussr", "u.s.s.r"], &["spain", "spanish", "spaniard"], &["sri lanka", "sri lankan"],
    &["sudan", "sudanese"], &["suriname", "surinamese"], &["sweden", "swedish", "swede"], &["switzerland", "swiss"],
    &["syria", "syrian"], &["taiwan", "taiwanese", "chinese taipei"], &["tajikistan", "tajik", "tajikistani"],
    &["tanzania", "tanzanian"], &["thailand", "thai"], &["tibet", "tibetan"], &["togo", "togolese"], &["tonga", "tongan"],
    &["trinidad and tobago", "trinidadian", "trinidad"], &["tunisia", "tunisian"], &["turkey", "turkish", "turk"],
    &["turkmenistan", "turkmen"], &["uganda", "ugandan"], &["ukraine", "ukrainian"],
    &["united arab emirates", "emirati", "uae"], &["united kingdom", "british", "briton", "great britain", "uk", "u.k", "britain"],
    &["united states", "american", "usa", "us", "u.s", "u.s.a", "united states of america", "america"],
    &["uruguay", "uruguayan"], &["uzbekistan", "uzbek", "uzbekistani"], &["venezuela", "venezuelan"],
    &["vietnam", "vietnamese"], &["wales", "welsh", "welshman"], &["yemen", "yemeni"],
    &["yugoslavia", "yugoslavian", "yugoslav"], &["zambia", "zambian"], &["zimbabwe", "zimbabwean"],
];

/// What the people and things of a country are called: `german` of `germany`.
///
/// ```
/// assert_eq!(mapo_questions::of_country("germany"), Some("german"));
/// ```
pub fn of_country(country: &str) -> Option<&'static str> {
    let nation = NATIONS.iter().find(|nation| nation[0] == country)?;
    nation.get(1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mapo_text::normalize;
    use std::collections::HashSet;

    #[test]
    fn every_name_is_in_normal_form_and_of_one_country() {
        let mut known = HashSet::new();
        for name in NATIONS.iter().copied().flatten() {
            assert_eq!(normalize(name), *name);
            assert!(known.insert(name), "{name} twice");
        }
        assert!(NATIONS.iter().all(|nation| nation.len() > 1));
    }
}
