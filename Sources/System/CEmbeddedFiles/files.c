// Written by scripts/make-embedded.

#include "CEmbeddedFiles.h"

// #embed is of C23. Clang knows it in every version of C, and warns.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char answers_css[] = {
#embed "../../Serving/WebPages/Pages/answers.css"
};
static const unsigned char answers_mjs[] = {
#embed "../../Serving/WebPages/Pages/answers.mjs"
};
static const unsigned char api_mjs[] = {
#embed "../../Serving/WebPages/Pages/api.mjs"
};
static const unsigned char drafts_mjs[] = {
#embed "../../Serving/WebPages/Pages/drafts.mjs"
};
static const unsigned char editor_mjs[] = {
#embed "../../Serving/WebPages/Pages/editor.mjs"
};
static const unsigned char effects_mjs[] = {
#embed "../../Serving/WebPages/Pages/effects.mjs"
};
static const unsigned char files_mjs[] = {
#embed "../../Serving/WebPages/Pages/files.mjs"
};
static const unsigned char game_mjs[] = {
#embed "../../Serving/WebPages/Pages/game.mjs"
};
static const unsigned char host_css[] = {
#embed "../../Serving/WebPages/Pages/host.css"
};
static const unsigned char host_html[] = {
#embed "../../Serving/WebPages/Pages/host.html"
};
static const unsigned char host_mjs[] = {
#embed "../../Serving/WebPages/Pages/host.mjs"
};
static const unsigned char icon_svg[] = {
#embed "../../Serving/WebPages/Pages/icon.svg"
};
static const unsigned char index_html[] = {
#embed "../../Serving/WebPages/Pages/index.html"
};
static const unsigned char kinds_mjs[] = {
#embed "../../Serving/WebPages/Pages/kinds.mjs"
};
static const unsigned char listen_mjs[] = {
#embed "../../Serving/WebPages/Pages/listen.mjs"
};
static const unsigned char make_ar_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.ar.mjs"
};
static const unsigned char make_css[] = {
#embed "../../Serving/WebPages/Pages/make.css"
};
static const unsigned char make_de_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.de.mjs"
};
static const unsigned char make_en_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.en.mjs"
};
static const unsigned char make_es_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.es.mjs"
};
static const unsigned char make_fr_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.fr.mjs"
};
static const unsigned char make_hi_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.hi.mjs"
};
static const unsigned char make_html[] = {
#embed "../../Serving/WebPages/Pages/make.html"
};
static const unsigned char make_it_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.it.mjs"
};
static const unsigned char make_ja_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.ja.mjs"
};
static const unsigned char make_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.mjs"
};
static const unsigned char make_nl_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.nl.mjs"
};
static const unsigned char make_pl_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.pl.mjs"
};
static const unsigned char make_pt_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.pt.mjs"
};
static const unsigned char make_tr_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.tr.mjs"
};
static const unsigned char make_zh_mjs[] = {
#embed "../../Serving/WebPages/Pages/make.zh.mjs"
};
static const unsigned char media_mjs[] = {
#embed "../../Serving/WebPages/Pages/media.mjs"
};
static const unsigned char menu_mjs[] = {
#embed "../../Serving/WebPages/Pages/menu.mjs"
};
static const unsigned char messages_ar_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.ar.mjs"
};
static const unsigned char messages_de_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.de.mjs"
};
static const unsigned char messages_en_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.en.mjs"
};
static const unsigned char messages_es_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.es.mjs"
};
static const unsigned char messages_fr_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.fr.mjs"
};
static const unsigned char messages_hi_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.hi.mjs"
};
static const unsigned char messages_it_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.it.mjs"
};
static const unsigned char messages_ja_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.ja.mjs"
};
static const unsigned char messages_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.mjs"
};
static const unsigned char messages_nl_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.nl.mjs"
};
static const unsigned char messages_pl_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.pl.mjs"
};
static const unsigned char messages_pt_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.pt.mjs"
};
static const unsigned char messages_tr_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.tr.mjs"
};
static const unsigned char messages_zh_mjs[] = {
#embed "../../Serving/WebPages/Pages/messages.zh.mjs"
};
static const unsigned char numbers_mjs[] = {
#embed "../../Serving/WebPages/Pages/numbers.mjs"
};
static const unsigned char orders_mjs[] = {
#embed "../../Serving/WebPages/Pages/orders.mjs"
};
static const unsigned char overlay_html[] = {
#embed "../../Serving/WebPages/Pages/overlay.html"
};
static const unsigned char player_mjs[] = {
#embed "../../Serving/WebPages/Pages/player.mjs"
};
static const unsigned char preview_html[] = {
#embed "../../Serving/WebPages/Pages/preview.html"
};
static const unsigned char preview_mjs[] = {
#embed "../../Serving/WebPages/Pages/preview.mjs"
};
static const unsigned char qr_mjs[] = {
#embed "../../Serving/WebPages/Pages/qr.mjs"
};
static const unsigned char questions_mjs[] = {
#embed "../../Serving/WebPages/Pages/questions.mjs"
};
static const unsigned char room_mjs[] = {
#embed "../../Serving/WebPages/Pages/room.mjs"
};
static const unsigned char screen_css[] = {
#embed "../../Serving/WebPages/Pages/screen.css"
};
static const unsigned char screen_html[] = {
#embed "../../Serving/WebPages/Pages/screen.html"
};
static const unsigned char screen_mjs[] = {
#embed "../../Serving/WebPages/Pages/screen.mjs"
};
static const unsigned char sounds_mjs[] = {
#embed "../../Serving/WebPages/Pages/sounds.mjs"
};
static const unsigned char stage_mjs[] = {
#embed "../../Serving/WebPages/Pages/stage.mjs"
};
static const unsigned char style_css[] = {
#embed "../../Serving/WebPages/Pages/style.css"
};
static const unsigned char teams_mjs[] = {
#embed "../../Serving/WebPages/Pages/teams.mjs"
};
static const unsigned char texts_mjs[] = {
#embed "../../Serving/WebPages/Pages/texts.mjs"
};
static const unsigned char timeline_mjs[] = {
#embed "../../Serving/WebPages/Pages/timeline.mjs"
};
static const unsigned char tools_css[] = {
#embed "../../Serving/WebPages/Pages/tools.css"
};
static const unsigned char view_mjs[] = {
#embed "../../Serving/WebPages/Pages/view.mjs"
};

struct cuelight_files cuelight_pages(void) {
  static const struct cuelight_file files[] = {
    {"answers.css", answers_css, sizeof answers_css},
    {"answers.mjs", answers_mjs, sizeof answers_mjs},
    {"api.mjs", api_mjs, sizeof api_mjs},
    {"drafts.mjs", drafts_mjs, sizeof drafts_mjs},
    {"editor.mjs", editor_mjs, sizeof editor_mjs},
    {"effects.mjs", effects_mjs, sizeof effects_mjs},
    {"files.mjs", files_mjs, sizeof files_mjs},
    {"game.mjs", game_mjs, sizeof game_mjs},
    {"host.css", host_css, sizeof host_css},
    {"host.html", host_html, sizeof host_html},
    {"host.mjs", host_mjs, sizeof host_mjs},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"kinds.mjs", kinds_mjs, sizeof kinds_mjs},
    {"listen.mjs", listen_mjs, sizeof listen_mjs},
    {"make.ar.mjs", make_ar_mjs, sizeof make_ar_mjs},
    {"make.css", make_css, sizeof make_css},
    {"make.de.mjs", make_de_mjs, sizeof make_de_mjs},
    {"make.en.mjs", make_en_mjs, sizeof make_en_mjs},
    {"make.es.mjs", make_es_mjs, sizeof make_es_mjs},
    {"make.fr.mjs", make_fr_mjs, sizeof make_fr_mjs},
    {"make.hi.mjs", make_hi_mjs, sizeof make_hi_mjs},
    {"make.html", make_html, sizeof make_html},
    {"make.it.mjs", make_it_mjs, sizeof make_it_mjs},
    {"make.ja.mjs", make_ja_mjs, sizeof make_ja_mjs},
    {"make.mjs", make_mjs, sizeof make_mjs},
    {"make.nl.mjs", make_nl_mjs, sizeof make_nl_mjs},
    {"make.pl.mjs", make_pl_mjs, sizeof make_pl_mjs},
    {"make.pt.mjs", make_pt_mjs, sizeof make_pt_mjs},
    {"make.tr.mjs", make_tr_mjs, sizeof make_tr_mjs},
    {"make.zh.mjs", make_zh_mjs, sizeof make_zh_mjs},
    {"media.mjs", media_mjs, sizeof media_mjs},
    {"menu.mjs", menu_mjs, sizeof menu_mjs},
    {"messages.ar.mjs", messages_ar_mjs, sizeof messages_ar_mjs},
    {"messages.de.mjs", messages_de_mjs, sizeof messages_de_mjs},
    {"messages.en.mjs", messages_en_mjs, sizeof messages_en_mjs},
    {"messages.es.mjs", messages_es_mjs, sizeof messages_es_mjs},
    {"messages.fr.mjs", messages_fr_mjs, sizeof messages_fr_mjs},
    {"messages.hi.mjs", messages_hi_mjs, sizeof messages_hi_mjs},
    {"messages.it.mjs", messages_it_mjs, sizeof messages_it_mjs},
    {"messages.ja.mjs", messages_ja_mjs, sizeof messages_ja_mjs},
    {"messages.mjs", messages_mjs, sizeof messages_mjs},
    {"messages.nl.mjs", messages_nl_mjs, sizeof messages_nl_mjs},
    {"messages.pl.mjs", messages_pl_mjs, sizeof messages_pl_mjs},
    {"messages.pt.mjs", messages_pt_mjs, sizeof messages_pt_mjs},
    {"messages.tr.mjs", messages_tr_mjs, sizeof messages_tr_mjs},
    {"messages.zh.mjs", messages_zh_mjs, sizeof messages_zh_mjs},
    {"numbers.mjs", numbers_mjs, sizeof numbers_mjs},
    {"orders.mjs", orders_mjs, sizeof orders_mjs},
    {"overlay.html", overlay_html, sizeof overlay_html},
    {"player.mjs", player_mjs, sizeof player_mjs},
    {"preview.html", preview_html, sizeof preview_html},
    {"preview.mjs", preview_mjs, sizeof preview_mjs},
    {"qr.mjs", qr_mjs, sizeof qr_mjs},
    {"questions.mjs", questions_mjs, sizeof questions_mjs},
    {"room.mjs", room_mjs, sizeof room_mjs},
    {"screen.css", screen_css, sizeof screen_css},
    {"screen.html", screen_html, sizeof screen_html},
    {"screen.mjs", screen_mjs, sizeof screen_mjs},
    {"sounds.mjs", sounds_mjs, sizeof sounds_mjs},
    {"stage.mjs", stage_mjs, sizeof stage_mjs},
    {"style.css", style_css, sizeof style_css},
    {"teams.mjs", teams_mjs, sizeof teams_mjs},
    {"texts.mjs", texts_mjs, sizeof texts_mjs},
    {"timeline.mjs", timeline_mjs, sizeof timeline_mjs},
    {"tools.css", tools_css, sizeof tools_css},
    {"view.mjs", view_mjs, sizeof view_mjs},
  };
  return (struct cuelight_files){files, sizeof files / sizeof *files};
}

static const unsigned char rehearsal_ts[] = {
#embed "../../Serving/GameServer/rehearsal.ts"
};

struct cuelight_files cuelight_rehearsal(void) {
  static const struct cuelight_file files[] = {
    {"rehearsal.ts", rehearsal_ts, sizeof rehearsal_ts},
  };
  return (struct cuelight_files){files, sizeof files / sizeof *files};
}

static const unsigned char schemas_ndjson[] = {
#embed "../../Commands/LineSchemas/schemas.ndjson"
};

struct cuelight_files cuelight_schemas(void) {
  static const struct cuelight_file files[] = {
    {"schemas.ndjson", schemas_ndjson, sizeof schemas_ndjson},
  };
  return (struct cuelight_files){files, sizeof files / sizeof *files};
}

static const unsigned char HTMLEntities_txt[] = {
#embed "../../Producing/Questions/HTMLEntities.txt"
};

struct cuelight_files cuelight_entities(void) {
  static const struct cuelight_file files[] = {
    {"HTMLEntities.txt", HTMLEntities_txt, sizeof HTMLEntities_txt},
  };
  return (struct cuelight_files){files, sizeof files / sizeof *files};
}
