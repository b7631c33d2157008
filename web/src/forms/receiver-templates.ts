/** How messages are sent to a well-known service. docs/receivers.md shows the same, and specs try each. */
export interface ReceiverTemplate {
  /** Its name for people. */
  readonly name: string;
  /** What its address looks like. Parts in capitals are to be replaced. */
  readonly url: string;
  /** Headers that it needs, by name. Parts in capitals are to be replaced. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parts of the body that are to be replaced; `[]` for none. */
  readonly replace: readonly string[];
  readonly template: { readonly contentType: string; readonly body: string };
}

function jsonTemplate(body: string): ReceiverTemplate['template'] {
  return { contentType: 'application/json', body };
}

/** In the order of docs/receivers.md. */
export const RECEIVER_TEMPLATES: readonly ReceiverTemplate[] = [
  {
    name: 'Slack',
    url: 'https://hooks.slack.com/services/TEAM/WEBHOOK/SECRET',
    headers: {},
    replace: [],
    template: jsonTemplate(`{
  "text": "{{title}}",
  "mrkdwn": false,
  "blocks": [
    {"type": "header", "text": {"type": "plain_text", "text": "{{title}}"}},
    {"type": "section", "text": {"type": "plain_text", "text": "{{sentence}}"}},
    {
      "type": "actions",
      "elements": [{"type": "button", "text": {"type": "plain_text", "text": "Open the server"}, "url": "{{serverUrl}}"}]
    }
  ]
}`),
  },
  {
    name: 'Teams',
    url: 'https://ENVIRONMENT.environment.api.powerplatform.com/powerautomate/automations/direct/workflows/ID/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=SECRET',
    headers: {},
    replace: [],
    template: jsonTemplate(`{
  "type": "message",
  "attachments": [
    {
      "contentType": "application/vnd.microsoft.card.adaptive",
      "contentUrl": null,
      "content": {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
          {
            "type": "TextBlock",
            "text": "{{title}}",
            "size": "medium",
            "weight": "bolder",
            "color": "{{#firing}}attention{{/firing}}{{#resolved}}good{{/resolved}}{{#noData}}warning{{/noData}}",
            "wrap": true
          },
          {"type": "TextBlock", "text": "{{sentence}}", "wrap": true}
        ],
        "actions": [{"type": "Action.OpenUrl", "title": "Open the server", "url": "{{serverUrl}}"}]
      }
    }
  ]
}`),
  },
  {
    name: 'Mattermost',
    url: 'https://mattermost.example.org/hooks/SECRET',
    headers: {},
    replace: [],
    template: jsonTemplate(`{
  "attachments": [
    {
      "fallback": "{{title}}",
      "color": "{{#firing}}#d0021b{{/firing}}{{#resolved}}#2e8540{{/resolved}}{{#noData}}#b7791f{{/noData}}",
      "title": "{{title}}",
      "title_link": "{{serverUrl}}",
      "text": "{{sentence}}"
    }
  ]
}`),
  },
  {
    name: 'Discord',
    url: 'https://discord.com/api/webhooks/ID/SECRET',
    headers: {},
    replace: [],
    template: jsonTemplate(`{
  "allowed_mentions": {"parse": []},
  "embeds": [
    {
      "title": "{{title}}",
      "url": "{{serverUrl}}",
      "description": "{{sentence}}",
      "color": {{#firing}}13632027{{/firing}}{{#resolved}}3048768{{/resolved}}{{#noData}}12024095{{/noData}},
      "timestamp": "{{firedAt}}"
    }
  ]
}`),
  },
  {
    name: 'Telegram',
    url: 'https://api.telegram.org/botTOKEN/sendMessage',
    headers: {},
    replace: ['CHAT'],
    template: jsonTemplate(`{
  "chat_id": "CHAT",
  "text": "{{title}}\\n\\n{{sentence}}\\n\\n{{serverUrl}}",
  "disable_notification": {{resolved}},
  "link_preview_options": {"is_disabled": true}
}`),
  },
  {
    name: 'PagerDuty',
    url: 'https://events.pagerduty.com/v2/enqueue',
    headers: {},
    replace: ['INTEGRATION_KEY'],
    template: jsonTemplate(`{
  "routing_key": "INTEGRATION_KEY",
  "event_action": "{{#resolved}}resolve{{/resolved}}{{^resolved}}trigger{{/resolved}}",
  "dedup_key": "{{subscriptionId}}",
  "client": "Mirzam",
  "client_url": "{{serverUrl}}",
  "payload": {
    "summary": "{{title}}",
    "source": "{{serverId}}",
    "severity": "{{#noData}}warning{{/noData}}{{^noData}}error{{/noData}}",
    "timestamp": "{{firedAt}}",
    "class": "{{ruleName}}",
    "custom_details": {"reason": "{{sentence}}", "measures": {{measures}}}
  }
}`),
  },
  {
    name: 'Opsgenie',
    url: 'https://api.opsgenie.com/v2/alerts',
    headers: { Authorization: 'GenieKey API_KEY' },
    replace: [],
    template: jsonTemplate(`{
  "message": "{{title}}",
  "alias": "{{subscriptionId}}{{#resolved}}-resolved{{/resolved}}{{#noData}}-no-data{{/noData}}",
  "description": "{{sentence}}",
  "entity": "{{serverId}}",
  "source": "Mirzam",
  "priority": "{{#firing}}P2{{/firing}}{{#resolved}}P5{{/resolved}}{{#noData}}P3{{/noData}}",
  "details": {"rule": "{{ruleName}}", "page": "{{serverUrl}}"}
}`),
  },
  {
    name: 'ntfy',
    url: 'https://ntfy.sh/',
    headers: { Authorization: 'Bearer ACCESS_TOKEN' },
    replace: ['TOPIC'],
    template: jsonTemplate(`{
  "topic": "TOPIC",
  "title": "{{title}}",
  "message": "{{sentence}}",
  "priority": {{#firing}}4{{/firing}}{{#resolved}}2{{/resolved}}{{#noData}}3{{/noData}},
  "tags": ["{{#firing}}rotating_light{{/firing}}{{#resolved}}white_check_mark{{/resolved}}{{#noData}}warning{{/noData}}"],
  "click": "{{serverUrl}}"
}`),
  },
  {
    name: 'Apprise',
    url: 'http://apprise.example.org:8000/notify/KEY',
    headers: {},
    replace: [],
    template: jsonTemplate(`{
  "title": "{{title}}",
  "body": "{{sentence}}\\n\\n{{serverUrl}}",
  "type": "{{#firing}}failure{{/firing}}{{#resolved}}success{{/resolved}}{{#noData}}warning{{/noData}}",
  "format": "text"
}`),
  },
];
