"""Words of boilerplate by language: the scanner of blocks counts them.

`control`: what one can do or reach on a page; `by`: words before a name; `talk`: speech of readers and about
them; `answer`: comments, which are talk and a control; `rights`: copyright.  The rows of other languages are
translations of those of English.  Single words only, and none of scripts without spaces, where a character is a word.
"""

from __future__ import annotations

from collections.abc import Mapping

GROUPS: Mapping[str, int] = {"control": 3, "by": 4, "rights": 5, "talk": 6, "answer": 7}
"""Numbers of the groups; months and weekdays are 1 and 2."""

WORDS: Mapping[str, Mapping[str, str]] = {
    "English": {
        "control": "share login log sign signin signup register subscribe newsletter newsletters email e-mail print "
        "tweet facebook twitter linkedin pinterest google menu search home homepage privacy terms cookie cookies "
        "copyright advertisement advertise related recommended popular more click view archive archives posted tags "
        "tagged categories category previous next read continue rss feed feeds follow contact sitemap jobs shop help "
        "faq bookmark permalink filed skip download video videos photos gallery slideshow subscription account "
        "password submit send close toggle navigation sponsored newest latest trending",
        "by": "by from author written von par por di da door",
        "talk": "said says wrote writes writing commented discussion response responses replies respond pingback "
        "pingbacks readers reader talkback feedback",
        "answer": "comment comments reply trackback trackbacks",
        "rights": "copyright rights reserved trademark llc inc ltd gmbh permission disclaimer",
    },
    "German": {
        "control": "teilen anmelden registrieren abonnieren abo drucken suche suchen startseite impressum datenschutz "
        "kontakt werbung anzeige mehr weiterlesen archiv schlagwörter kategorien kategorie zurück weiter bilder "
        "fotostrecke herunterladen senden merken versenden agb",
        "by": "autor quelle redaktion",
        "talk": "schrieb schreibt sagt leserkommentare leser",
        "answer": "kommentare kommentar antworten",
        "rights": "rechte vorbehalten",
    },
    "French": {
        "control": "partager connexion inscription abonnez abonner abonnement imprimer recherche rechercher accueil "
        "publicité annonces contactez mentions légales suite mots-clés catégorie catégories précédent suivant "
        "diaporama télécharger envoyer",
        "by": "auteur source",
        "talk": "réagir réactions commenté écrit lecteurs",
        "answer": "commentaires commentaire répondre",
        "rights": "droits réservés",
    },
    "Spanish": {
        "control": "compartir registrarse suscríbete suscribirse imprimir buscar inicio portada publicidad contacto "
        "aviso legal archivo etiquetas categoría categorías anterior siguiente galería descargar enviar cerrar "
        "privacidad",
        "by": "autor fuente",
        "talk": "dijo escribió opina lectores",
        "answer": "comentarios comentario responder",
        "rights": "derechos reservados",
    },
    "Portuguese": {
        "control": "compartilhar compartilhe cadastre-se assine imprimir buscar início publicidade contato leia "
        "arquivo etiquetas categoria categorias próximo baixar enviar fechar",
        "by": "autor fonte",
        "talk": "disse escreveu leitores",
        "answer": "comentários comentário responder",
        "rights": "direitos reservados",
    },
    "Italian": {
        "control": "condividi accedi registrati abbonati stampa cerca pubblicità contatti leggi archivio etichette "
        "categoria categorie precedente successivo galleria scarica invia chiudi",
        "by": "autore fonte",
        "talk": "scrive disse lettori",
        "answer": "commenti commento rispondi",
        "rights": "diritti riservati",
    },
    "Dutch": {
        "control": "delen inloggen registreren abonneren afdrukken zoeken advertentie meer archief volgende vorige "
        "versturen",
        "by": "bron auteur",
        "talk": "schreef schrijft lezers",
        "answer": "reacties reactie reageer",
        "rights": "rechten voorbehouden",
    },
    "Swedish, Danish, Norwegian": {
        "control": "dela del logga prenumerera abonner skriv søk sök annons annonse kontakt arkiv läs les nästa neste "
        "föregående skicka hämta",
        "by": "källa kilde",
        "talk": "skrev skriver läsare",
        "answer": "kommentarer kommentar svara svar",
        "rights": "rättigheter rettigheter förbehållna",
    },
    "Polish": {
        "control": "udostępnij zaloguj logowanie rejestracja zarejestruj drukuj wydrukuj szukaj wyszukaj główna "
        "kontakt reklama więcej archiwum tagi kategorie kategoria wyślij poprzedni następny zdjęcia galeria pobierz "
        "regulamin polityka prywatności subskrybuj",
        "by": "autor źródło",
        "talk": "napisał pisze czytelników opinie",
        "answer": "komentarze komentarzy komentarz komentuj odpowiedz",
        "rights": "prawa zastrzeżone",
    },
    "Czech": {
        "control": "sdílet přihlásit registrace tisk tisknout hledat reklama inzerce kontakt více archiv štítky "
        "rubriky předchozí další fotogalerie stáhnout odeslat",
        "by": "autor zdroj",
        "talk": "napsal píše čtenáři diskuse diskuze",
        "answer": "komentáře komentář odpovědět",
        "rights": "práva vyhrazena",
    },
    "Russian": {
        "control": "поделиться войти вход регистрация подписаться подписка рассылка печать распечатать почта меню "
        "поиск реклама рекламодателям контакты читайте подробнее далее архив рубрики рубрика теги метки вконтакте "
        "одноклассники твиттер фейсбук наверх вакансии фото видео галерея скачать отправить закрыть "
        "популярное ссылки",
        "by": "автор источник",
        "talk": "пишет написал обсудить обсуждение читателей",
        "answer": "комментарии комментариев комментарий комментировать ответить",
        "rights": "права защищены авторские правообладатель",
    },
    "Ukrainian": {
        "control": "поділитися увійти вхід реєстрація підписатися підписка друк друкувати пошук контакти читайте "
        "детальніше далі архів рубрики теги галерея завантажити надіслати закрити",
        "by": "автор джерело",
        "talk": "пише написав обговорення читачів",
        "answer": "коментарі коментарів коментар коментувати відповісти",
        "rights": "права захищені",
    },
    "Greek": {
        "control": "κοινοποίηση σύνδεση εγγραφή εκτύπωση εκτύπωσε αναζήτηση αρχική επικοινωνία διαφήμιση διαφημίσεις "
        "περισσότερα σχετικά αρχείο ετικέτες κατηγορίες κατηγορία αποστολή προηγούμενο επόμενο βίντεο φωτογραφίες "
        "μενού όροι",
        "by": "πηγή συντάκτης",
        "talk": "γράφει συζήτηση αναγνωστών",
        "answer": "σχόλια σχόλιο απάντηση",
        "rights": "δικαιώματα",
    },
    "Turkish": {
        "control": "paylaş giriş üye abone yazdır ara anasayfa reklam iletişim devamı arşiv etiketler kategoriler "
        "kategori önceki sonraki galeri indir gönder kapat",
        "by": "yazar kaynak",
        "talk": "yazdı okurlar",
        "answer": "yorumlar yorum yanıtla",
        "rights": "hakları saklıdır",
    },
    "Arabic": {
        "control": "شارك مشاركة اشترك تسجيل دخول طباعة بحث الرئيسية إعلان اتصل المزيد أرشيف التالي السابق إرسال تحميل",
        "by": "بقلم كتب المصدر",
        "talk": "القراء",
        "answer": "تعليق تعليقات التعليقات رد",
        "rights": "حقوق الحقوق محفوظة",
    },
    "Indonesian": {
        "control": "bagikan masuk daftar berlangganan cetak cari beranda iklan kontak selengkapnya arsip kategori "
        "sebelumnya selanjutnya unduh kirim tutup baca",
        "by": "penulis sumber editor",
        "talk": "pembaca",
        "answer": "komentar balas",
        "rights": "hak cipta dilindungi",
    },
}
"""Language -> group -> words; of a word of several groups the first one counts, in the order of the languages."""
